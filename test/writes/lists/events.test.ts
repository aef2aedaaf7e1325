// Listeners are told of the items of a list in its order, with what was written of each, whichever road writes it.
import { expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  type Schema,
  updateEach,
  upsertItems,
} from '../../../src/index.ts'
import { judging } from '../../../src/writes/context/row-template.ts'
import { databases } from '../../support/databases.ts'
import { key, number } from '../../support/fields.ts'

const schema: Schema = defineSchema({ things: { fields: { id: key, a: number, b: number } } })
const each = [
  { id: 3, a: 9 },
  { id: 1, b: 9 },
  { id: 2, a: 1 },
]
const mixed = [
  { id: 3, a: 9 },
  { id: 7, a: 9 },
  { id: 1, a: 1 },
]
const calls: readonly (readonly [string, (engine: Engine) => Promise<unknown>])[] = [
  ['updates of several shapes', (engine) => updateEach(engine, 'things', each)],
  ['upserts of several shapes', (engine) => upsertItems(engine, 'things', each)],
  ['upserts of what is there and not', (engine) => upsertItems(engine, 'things', mixed)],
]

for (const { name, open } of databases)
  it.each(calls)(`tells of %s on ${name}`, async (_, call) => {
    const told: unknown[] = []
    for (const isByStatement of [true, false]) {
      const { db, run } = await open()
      try {
        await run('create table things (id integer primary key, a integer, b integer)')
        await run('insert into things (id) values (1), (2), (3)')
        const engine = createEngine({ db, schema })
        const heard: unknown[] = []
        for (const event of ['items.create', 'items.update'] as const)
          engine.on(
            event,
            'things',
            ({ keys, payload }: { keys?: unknown; payload?: unknown }) => {
              heard.push([event, keys, payload])
            },
            { when: 'after' },
          )
        const rules = { things: { read: true, create: true, update: true } }
        judging.isByStatement = isByStatement
        await call(engine.as({ user: 1, rules } as never) as Engine)
        told.push(heard)
      } finally {
        judging.isByStatement = true
      }
    }
    expect(told[0]).toEqual(told[1])
    expect(told[0]).toHaveLength(3)
  })
