import { describe, expect, it } from 'vitest'
import { DeferredValue } from '../../src/dialects/sql.ts'
import type { Page } from '../../src/plan/read/read-plan.ts'
import { LastRequest } from '../../src/prepared/templates/repeated-request.ts'
import type { BoundValues } from '../../src/prepared/templates/template.ts'

const page: Page = { limit: 5, offset: 0, path: [], isCut: false, isFixed: false }
const answers: BoundValues = new Map([[page, page]])

/** Asks something twice, which is when it is kept. */
function keep(last: LastRequest, values: readonly unknown[], given: BoundValues): void {
  last.isRequestedAgain([...values])
  if (last.isRequestedAgain([...values])) last.keep(given)
}

describe('what was asked last', () => {
  it.each([
    ['nothing', []],
    ['values', ['published', 5, true]],
  ])('is answered again: %s', (_, values) => {
    const last = new LastRequest()
    expect(last.boundValuesFor(values)).toBeUndefined()
    keep(last, values, answers)
    expect(last.boundValuesFor([...values])).toBe(answers)
  })

  it('is not kept before it is asked a second time in a row', () => {
    const last = new LastRequest()
    expect([[5], [6], [5], [5], [5], [6]].map((values) => last.isRequestedAgain(values))).toEqual([
      false,
      false,
      false,
      true,
      true,
      false,
    ])
  })

  it.each([
    ['another value', ['published', 6]],
    ['another kind', ['published', '5']],
    ['fewer values', ['published']],
    ['more values', ['published', 5, 5]],
    ['another order', [5, 'published']],
  ])('is not what is asked with %s', (_, values) => {
    const last = new LastRequest()
    keep(last, ['published', 5], answers)
    expect(last.boundValuesFor(values)).toBeUndefined()
    expect(last.boundValuesFor(['published', 5])).toBe(answers)
  })

  it.each([
    ['may change', [['a']]],
    ['is a moment', [new Date(0)]],
    ['is no number', [Number.NaN]],
    ['is long', ['x'.repeat(201)]],
  ])('is not kept where it %s', (_, values) => {
    const last = new LastRequest()
    keep(last, values, answers)
    expect(last.boundValuesFor(values)).toBeUndefined()
  })

  describe('fills statements in', () => {
    const limit = new DeferredValue(page, page, (given) => Object(given).limit)
    const statement = { sql: 'select ?', parameters: [limit] }

    it('once for the same values, for all who ask', () => {
      const last = new LastRequest()
      keep(last, [5], answers)
      const filled = last.filled(statement, answers)
      expect(filled).toEqual({ sql: 'select ?', parameters: [5] })
      expect(last.filled(statement, answers)).toBe(filled)
      expect(() => Object(filled.parameters).push(6)).toThrow(TypeError)
      expect(last.filled({ sql: 'select +?', parameters: [limit] }, answers).sql).toBe('select +?')
    })

    it('anew for other values', () => {
      const last = new LastRequest()
      keep(last, [5], answers)
      last.filled(statement, answers)
      const others: BoundValues = new Map([[page, { ...page, limit: 6 }]])
      expect(last.filled(statement, others).parameters).toEqual([6])
      keep(last, [6], others)
      expect(last.filled(statement, others).parameters).toEqual([6])
      expect(last.filled(statement, answers).parameters).toEqual([5])
    })
  })
})
