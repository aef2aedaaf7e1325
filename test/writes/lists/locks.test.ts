// Lists lock all their rows in the order of the keys, also where several statements write them: two lists in opposite orders wait, and do not deadlock.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  type Schema,
  updateEach,
  updateItems,
  upsertItems,
} from '../../../src/index.ts'
import { type OpenDatabase, openPostgres } from '../../support/databases.ts'
import { key, number, string } from '../../support/fields.ts'
import { behindRival } from '../../support/waiting-transactions.ts'

const schema: Schema = defineSchema({
  things: { fields: { id: key, code: { ...string, unique: true }, a: number, b: number } },
})
const rule = { validation: { a: { _neq: 5 } } }
const rules = { things: { read: true, create: rule, update: rule } }
/** Keys from the last to the first, of which one statement does not take all. */
const keys = Array.from({ length: 1_001 }, (_, at) => 1_001 - at)
const query = { fields: ['id'] } as const

type Call = (engine: Engine) => Promise<readonly unknown[]>
const calls: readonly (readonly [title: string, call: Call])[] = [
  [
    'items of several shapes',
    (engine) =>
      updateEach(
        engine,
        'things',
        [
          { id: 2, a: 1 },
          { id: 1, b: 1 },
        ],
        query,
      ),
  ],
  [
    'a long list',
    (engine) =>
      updateEach(
        engine,
        'things',
        keys.map((id) => ({ id, a: id + 9 })),
        query,
      ),
  ],
  ['a long list of equal changes', (engine) => updateItems(engine, 'things', keys, { a: 1 }, query)],
  [
    'upserts of several shapes',
    (engine) =>
      upsertItems(
        engine,
        'things',
        [
          { code: 'c2', a: 1 },
          { code: 'c1', b: 1 },
        ],
        query,
        { on: 'code' as never },
      ),
  ],
]

describe('on postgres', () => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await openPostgres()
    await opened.run(
      'create table things (id integer primary key, code text not null unique, a integer, b integer)',
    )
    await opened.run("insert into things (id, code) select n, 'c' || n from generate_series(1, 1001) as n")
  })

  for (const access of [undefined, { user: 1, rules }] as const)
    it.each(calls)(
      `locks the first row first: %s ${access ? 'under rules' : 'without rules'}`,
      async (_, call) => {
        const engine = createEngine({ db: opened.db, schema })
        const caller = (access ? engine.as(access as never) : engine) as Engine
        const { outcome } = await behindRival(
          opened,
          {
            holds: 'select 1 from things where id = 1 for update',
            does: 'select 1 from things where id = 2 for update nowait',
          },
          () => call(caller),
        )
        expect(await outcome).toContainEqual({ id: 1 })
      },
    )
})
