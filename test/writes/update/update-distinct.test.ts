// Rows that get values of their own: a refusal names the same item whether it is known by then that their order can be seen, or not.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { defineSchema, type Engine, type Schema, updateItem } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { key, number, text } from '../../support/fields.ts'
import { openTwin, outcomeOf } from '../lists/twins.ts'

const schema = defineSchema({
  teams: { fields: { id: key, members: { type: 'o2m', from: 'members.team' } } },
  members: {
    fields: { id: key, team: { type: 'm2o', to: 'teams', nullable: true }, person: number, role: text },
  },
})

const tables = [
  'create table teams (id integer primary key)',
  'insert into teams values (1), (2), (3)',
  'create table members (id integer primary key, team integer, person integer, role varchar(9), unique (team, person))',
  `insert into members values (1, 2, 7, 'p'), (2, 3, 7, 'p'), (3, 1, 1, 'p'), (4, 1, 2, 'p')`,
]

const pairsThatMeet = [
  { id: 4, role: 'q' },
  { id: 2, role: 'r', team: 1 },
  { id: 3, role: 'q' },
  { id: 1, role: 'r', team: 1 },
]

describe.each(databases)('on $name', ({ open }) => {
  it.each([
    ['pairs that meet', { update: pairsThatMeet }, ['members', 'update', 3, 'team']],
    ['links to a pair that is taken', [3, 4, 1, 2], ['members', 3, 'team']],
    ['pairs of which one is taken', { update: pairsThatMeet.slice(0, 2) }, undefined],
  ] as const)('%s are told of in the same place each time', async (_name, members, place) => {
    for (const isByStatement of [true, false]) {
      const { engine, db } = await openTwin(open, tables, { schema })
      const call = () =>
        outcomeOf(() => updateItem(engine as Engine<Schema>, 'teams', 1, { members }), isByStatement)
      const [first, again] = [await call(), await call()]
      expect(again).toEqual(first)
      if (place === undefined) expect(first).toHaveProperty('answer')
      else expect(first).toMatchObject({ error: [{ code: 'RECORD_NOT_UNIQUE', path: place }] })
      const { rows } = await sql`select id from members where team = 1 order by id`.execute(db)
      expect(rows).toHaveLength(place === undefined ? 3 : 2)
    }
  })
})
