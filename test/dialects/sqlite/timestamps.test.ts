// Ranges of timestamps that SQLite stores as text, in any form: a row far from the bound is not converted, and is found all the same.
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { compileFilter, defineSchema } from '../../../src/index.ts'
import { key, moment } from '../../support/fields.ts'

const schema = defineSchema({
  events: { fields: { id: key, day: { type: 'date', nullable: true }, at: moment } },
})

/** The forms in which a program may write a timestamp, with an offset of hours or without. */
const forms: readonly ((at: number) => string)[] = [
  (at) => iso(at),
  (at) => iso(at).slice(0, 19).replace('T', ' '),
  (at) => `${iso(at).slice(0, 16)}Z`,
  (at) => `${iso(at + 14 * hour).slice(0, 19)}+14:00`,
  (at) => `${iso(at - 12 * hour).slice(0, 23)}-12:00`,
  (at) => `${iso(at).slice(0, 23)}456Z`,
]
const hour = 3_600_000
const iso = (at: number) => new Date(at).toISOString()

const bound = Date.UTC(2024, 1, 29, 13, 30)
const apart = [
  -2_000, -80, -49, -48, -47, -25, -24, -23, -14, -1, 0, 1, 14, 23, 24, 25, 47, 48, 49, 80, 2_000,
]
const moments = apart.map((hours) => bound + hours * hour)
/** Text that is no timestamp, on either side of the bound as text. */
const none = ['', '2023-13-45T00:00:00.000Z', '2025-13-45T00:00:00.000Z', '2023-01-01Tx', 'later', ':']

const database = new Database(':memory:')
database.exec('create table events (id integer primary key, day text, at text)')
const insert = database.prepare('insert into events (id, day, at) values (?, ?, ?)')
const stored = [...moments.flatMap((at) => forms.map((form) => form(at))), ...none]
for (const [index, text] of stored.entries()) insert.run(index + 1, text, text)
insert.run(stored.length + 1, null, null)

const signs = {
  _lt: (one: string, other: string) => one < other,
  _lte: (one: string, other: string) => one <= other,
  _gt: (one: string, other: string) => one > other,
  _gte: (one: string, other: string) => one >= other,
  _eq: (one: string, other: string) => one === other,
} as const

const widths = { at: 24, day: 10 } as const

describe.each(Object.keys(widths) as (keyof typeof widths)[])('a range of the text column %s', (field) => {
  it.each(Object.keys(signs) as (keyof typeof signs)[])('finds the rows of %s in every form', (sign) => {
    const text = iso(bound).slice(0, widths[field])
    const { sql, parameters } = compileFilter({ schema, dialect: 'sqlite' }, 'events', {
      [field]: { [sign]: text },
    })
    const found = database
      .prepare<unknown[], number>(`select id from events where ${sql} order by id`)
      .pluck()
      .all(...parameters)
    const expected = moments.flatMap((at, index) =>
      signs[sign](iso(at).slice(0, widths[field]), text)
        ? forms.map((_, form) => index * forms.length + form + 1)
        : [],
    )
    expect(expected.length).toBeGreaterThan(0)
    expect(found).toEqual(expected)
  })
})
