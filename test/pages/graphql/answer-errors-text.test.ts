// Answers that are no JSON although they say so, as a server between the page and ours may send them.
import { expect, it } from 'vitest'
import { errorsInText } from '../../../src/pages/graphql/language/answer-errors.ts'

it('says that an answer is no JSON', () => {
  expect(errorsInText('{"errors":').map(({ message }) => message)).toEqual(['The answer is not valid JSON.'])
  expect(errorsInText('{"errors":[{"message":"No."}]}').map(({ message }) => message)).toEqual(['No.'])
  expect(errorsInText('{"data":{}}')).toEqual([])
})
