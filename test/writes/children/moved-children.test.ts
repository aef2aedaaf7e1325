// Children that leave are told of in the order of their keys, in whatever order the database finds them or the call names them.
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  type Schema,
  type SchemaDefinition,
  updateEach,
  updateItem,
} from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { integer, key, maybeOne, number, string } from '../../support/fields.ts'
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
      const { engine } = await openTwin(open, tables, { schema })
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

  it('but not those that are there already, however often they are named', async () => {
    const schema = defineSchema({
      teams: { fields: { id: key, members: { type: 'o2m', from: 'members.team' } } },
      members: { fields: { id: key, team: maybeOne('teams'), rank: number } },
    })
    const { engine } = await openTwin(open, tables, { schema })
    const told: unknown[] = []
    engine.on('items.update', 'members', ({ keys, payload }) => void told.push([keys, payload]), {
      when: 'after',
    })
    const rules = {
      teams: { read: true, update: true },
      members: { read: true, update: { fields: ['id', 'rank'] } },
    }
    for (const caller of [engine, engine.as({ rules } as never)] as Engine[]) {
      await updateItem(caller, 'teams', 2, { members: [2, 2, '2'] })
      expect(told).toEqual([])
      await updateItem(caller, 'teams', 2, {
        members: {
          update: [
            { id: 2, rank: 1 },
            { id: 2, rank: 2 },
          ],
        },
      })
      expect(told.splice(0).length).toBeGreaterThan(0)
    }
    const taken = updateItem(engine.as({ rules } as never) as Engine, 'teams', 2, { members: [2, 8, 8] })
    await expect(taken).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('by the values of the parts of a key', async () => {
    const { db, run } = await open()
    await run(
      'create table teams (id integer primary key)',
      'insert into teams values (1)',
      'create table pairs (a varchar(9), b integer, team integer, primary key (a, b))',
      `insert into pairs values ('p', 10, 1), ('p', 9, 1), ('o', 100, 1), ('p', 100, 1)`,
      'create table prices (id numeric(10,2) primary key, team integer)',
      'insert into prices values (10.5, 1), (9.25, 1), (100, 1), (-3, 1), (-20, 1)',
    )
    const team = maybeOne('teams')
    const schema: Schema = defineSchema<SchemaDefinition>({
      teams: {
        fields: {
          id: key,
          pairs: { type: 'o2m', from: 'pairs.team' },
          prices: { type: 'o2m', from: 'prices.team' },
        },
      },
      pairs: { key: ['a', 'b'], fields: { a: string, b: integer, team } },
      prices: { fields: { id: { type: 'decimal', precision: 10, scale: 2, key: true }, team } },
    })
    const engine: Engine = createEngine({ db, schema })
    const told: unknown[] = []
    for (const collection of ['pairs', 'prices'])
      engine.on('items.update', collection, ({ keys }) => void told.push(keys), { when: 'after' })
    await updateItem(engine, 'teams', 1, { pairs: [] })
    await updateItem(engine, 'teams', 1, { prices: { delete: ['100', '9.25', -20, '-3', '10.50'] } })
    expect(told).toEqual([
      [
        ['o', 100],
        ['p', 9],
        ['p', 10],
        ['p', 100],
      ],
      ['-20.00', '-3.00', '9.25', '10.50', '100.00'],
    ])
  })
})
