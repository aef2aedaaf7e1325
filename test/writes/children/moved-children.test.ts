// Children that leave are told of in the order of their keys, in whatever order the database finds them or the call names them.
import { describe, expect, it } from 'vitest'
import { defineSchema, type Engine, type Schema, updateEach } from '../../../src/index.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases } from '../../support/databases.ts'
import { key, maybeOne, number } from '../../support/fields.ts'
import { openTwin, outcomeOf } from '../lists/twins.ts'

const tables = [
  'create table teams (id integer primary key)',
  'insert into teams values (1), (2)',
  'create table members (id integer primary key, team integer, rank integer)',
  'insert into members values (10, 1, 1), (9, 1, 2), (2, 2, 0), (-3, 1, 3), (8, 1, 4)',
  'create index ranked on members (team, rank)',
]

describe.each(databases)('on $name', ({ open }) => {
  const all = (['nullify', 'delete'] as const).flatMap((deselect) =>
    ([true, false] as const).map((isByStatement) => ({ deselect, isByStatement })),
  )
  it.each(all)(
    'to $deselect them (by one statement: $isByStatement)',
    async ({ deselect, isByStatement }) => {
      const schema = defineSchema({
        teams: { fields: { id: key, members: { type: 'o2m', from: 'members.team', deselect } } },
        members: { fields: { id: key, team: maybeOne('teams'), rank: number } },
      })
      const { engine, close } = await openTwin(open, tables, { schema })
      atEnd(close)
      const told: unknown[] = []
      for (const event of ['items.update', 'items.delete'] as const)
        engine.on(event, 'members', ({ keys }) => void told.push(keys), { when: 'after' })
      const update = (members: unknown, ...ids: readonly number[]) =>
        outcomeOf(
          () =>
            updateEach(
              engine as Engine<Schema>,
              'teams',
              ids.map((id) => ({ id, members })),
            ),
          isByStatement,
        )
      expect(await update({ delete: [10, 8] }, 1)).toHaveProperty('answer')
      expect(await update([], 2, 1)).toHaveProperty('answer')
      expect(told).toEqual([
        [8, 10],
        [-3, 2, 9],
      ])
    },
  )
})
