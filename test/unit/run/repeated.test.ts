import { describe, expect, it } from 'vitest'
import { LastAsked } from '../../../src/run/repeated.ts'
import type { Answers } from '../../../src/run/template.ts'

const answers: Answers = new Map()

describe('what was asked last', () => {
  it.each([
    ['nothing', []],
    ['values', ['published', 5, true]],
  ])('is answered again: %s', (_, values) => {
    const last = new LastAsked()
    expect(last.answersTo(values)).toBeUndefined()
    last.keep([...values], answers)
    expect(last.answersTo([...values])).toBe(answers)
  })

  it.each([
    ['another value', ['published', 6]],
    ['another kind', ['published', '5']],
    ['fewer values', ['published']],
    ['more values', ['published', 5, 5]],
    ['another order', [5, 'published']],
  ])('is not what is asked with %s', (_, values) => {
    const last = new LastAsked()
    last.keep(['published', 5], answers)
    expect(last.answersTo(values)).toBeUndefined()
    expect(last.answersTo(['published', 5])).toBe(answers)
  })

  it.each([
    ['may change', [['a']]],
    ['is a moment', [new Date(0)]],
    ['is no number', [Number.NaN]],
    ['is long', ['x'.repeat(201)]],
  ])('is not kept where it %s', (_, values) => {
    const last = new LastAsked()
    last.keep(values, answers)
    expect(last.answersTo(values)).toBeUndefined()
  })
})
