// Lists of upserts under rules are one update of the items that are there, and one insert of the others.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, type Engine, upsertItems } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, number, string } from '../../support/fields.ts'

const schema = defineSchema({
  tasks: { fields: { id: key, title: { ...string, unique: true }, points: number, owner: number } },
})
const own = { filter: { owner: '$CURRENT_USER' } }
const rules = { tasks: { read: own, create: own, update: own } }
const shape = { fields: ['id', 'title', 'points'] } as const

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let caller: Engine<typeof schema>
  let statements: string[]
  beforeEach(async () => {
    opened = await open()
    await opened.run(
      `create table tasks (id ${name === 'sqlite' ? 'integer' : 'serial'} primary key, title text not null unique, points integer, owner integer)`,
    )
    await opened.run("insert into tasks (title, points, owner) values ('a', 1, 1), ('b', 2, 1), ('c', 3, 2)")
    const onQuery = ({ sql: text }: { readonly sql: string }) =>
      void statements.push(...(/\b(?:insert|update) (?=(?:into )?")/.exec(text) ?? []))
    const engine = createEngine({ db: opened.db, schema, onQuery })
    caller = engine.as({ user: 1, rules } as never) as Engine<typeof schema>
    statements = []
    // The first calls ask the catalogue.
    const known = [1, 2].map((id) => ({ id, points: id, owner: 1 }))
    const titled = ['a', 'b'].map((title) => ({ title, points: 1, owner: 1 }))
    await upsertItems(caller, 'tasks', known as never, shape)
    await upsertItems(caller, 'tasks', titled as never, shape, { on: 'title' })
    statements = []
  })
  const stored = () => opened.run('select title, points, owner from tasks order by id')
  const item = (id: number, title: string) => ({ id, title, points: 9, owner: 1 })

  it('all of which are there', async () => {
    const items = [2, 1].map((id) => ({ id, points: 9, owner: 1 }))
    expect(await upsertItems(caller, 'tasks', items as never, shape)).toMatchObject([
      { id: 2, title: 'b', points: 9 },
      { id: 1, title: 'a', points: 9 },
    ])
    expect(statements).toEqual(['update '])
  })

  it('of which some are there, in the order of the list', async () => {
    const items = [
      { title: 'n', points: 9, owner: 1 },
      { title: 'b', points: 8, owner: 1 },
      { title: 'm', points: 7, owner: 1 },
    ]
    const shown = await upsertItems(caller, 'tasks', items as never, shape, { on: 'title' })
    expect(shown).toMatchObject(items.map(({ owner: _, ...rest }) => rest))
    expect(statements).toEqual(['update ', 'insert '])
  })

  it('that are found by other unique values', async () => {
    const items = [
      { title: 'b', points: 7, owner: 1 },
      { title: 'a', points: 8, owner: 1 },
    ]
    expect(await upsertItems(caller, 'tasks', items as never, shape, { on: 'title' })).toEqual([
      { id: 2, title: 'b', points: 7 },
      { id: 1, title: 'a', points: 8 },
    ])
    expect(statements).toEqual(['update '])
  })

  it.each([
    ['by their key', [item(1, 'x'), item(3, 'y')], {}],
    ['by other values', [item(1, 'a'), item(3, 'c')], { on: 'title' }],
  ] as const)(
    'of which one is hidden, found %s, are refused as that one is',
    async (_title, items, options) => {
      const before = await stored()
      const list = items.map(({ id, ...rest }) => ('on' in options ? rest : { id, ...rest }))
      await expect(upsertItems(caller, 'tasks', list as never, shape, options)).rejects.toMatchObject({
        code: 'RECORD_NOT_UNIQUE',
      })
      expect(await stored()).toEqual(before)
    },
  )
})
