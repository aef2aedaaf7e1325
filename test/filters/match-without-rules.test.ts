// The `matchesFilter` of `quernel/filter` next to that of `quernel`.
import { expect, it } from 'vitest'
import * as browser from '../../src/filter.ts'
import { createEngine, defineSchema, matchesFilter } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { integer, key, string } from '../support/fields.ts'

const schema = defineSchema({ notes: { fields: { id: key, text: string, owner: integer } } })
const note = { id: 1, text: 'Milk', owner: 7 }
const rules = { notes: { read: { fields: ['id', 'owner'], filter: { owner: '$CURRENT_USER' } } } } as const

it('values of a caller are known', () => {
  const isMine = (user: number) =>
    browser.matchesFilter({ schema }, 'notes', { owner: '$CURRENT_USER' }, note, { access: { user } })
  expect([isMine(7), isMine(8)]).toEqual([true, false])
})

it('rules are refused and not passed over, also by JavaScript', () => {
  const access = { user: 7, rules }
  const match = () =>
    // @ts-expect-error: the compiler refuses them, too
    browser.matchesFilter({ schema }, 'notes', { text: 'Milk' }, note, { access })
  expect(match).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS', path: ['access', 'rules'] }))
})

it('the rules of an engine hold', async () => {
  const { db } = await openSqlite()
  const mine = createEngine({ db, schema }).as({ user: 7, rules })
  for (const match of [matchesFilter, browser.matchesFilter]) {
    expect(match(mine, 'notes', { owner: '$CURRENT_USER' }, note)).toBe(true)
    expect(() => match(mine, 'notes', { text: 'Milk' }, note)).toThrow('There is no field "text" in "notes"')
  }
})

it('options that there are not are refused', () => {
  // @ts-expect-error: the compiler refuses them, too
  const match = () => browser.matchesFilter({ schema }, 'notes', {}, note, { acces: {} })
  expect(match).toThrow('There is no option "acces"')
})
