// Rules that fill in different values: the first that allows an item whole gives its values, also where only the stored row tells which it is.
import { scryptSync } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  listItems,
  type Rules,
  type Schema,
  updateByQuery,
  updateItem,
  updateItems,
  upsertItems,
} from '../../../src/index.ts'
import { type AnyTables, databases, type OpenDatabase } from '../../support/databases.ts'
import { key, many, maybeOne, number, string, text } from '../../support/fields.ts'

const schema = defineSchema({
  people: { fields: { id: key, name: string, notes: many('notes.author') } },
  notes: {
    fields: {
      id: key,
      author: maybeOne('people'),
      by: { ...text, unique: true },
      kind: string,
      views: number,
      secret: { type: 'hash', nullable: true },
    },
  },
})

type Caller = Engine<Schema>
type Call = (engine: Caller) => Promise<unknown>

const ofAda = { author: { name: 'Ada' } }
const other = { presets: { kind: 'other' } }
const counted = { views: { _gte: 0 } }
const rules = {
  people: { read: true, create: true, update: true },
  notes: {
    read: true,
    create: [{ filter: ofAda, presets: { kind: 'ada' } }, other],
    update: [{ validation: { ...ofAda, ...counted }, presets: { kind: 'ada' } }, other],
  },
} as const

/** A write, and the authors and kinds of the notes after it. */
interface Case {
  readonly title: string
  readonly call: Call
  readonly notes: string
  readonly rules?: object
  readonly isFilled?: true
}

const create = (data: Readonly<Record<string, unknown>>) => (engine: Caller) =>
  createItem(engine, 'notes', data)
const cases: readonly Case[] = [
  { title: 'creation by the first', call: create({ author: 1 }), notes: '1 old, 2 old, 1 ada' },
  { title: 'creation by the second', call: create({ author: 2 }), notes: '1 old, 2 old, 2 other' },
  { title: 'creation without an author', call: create({}), notes: '1 old, 2 old, null other' },
  {
    title: 'rows of a list, each by its own',
    call: (engine) => createItems(engine, 'notes', [{ author: 2 }, { author: 1 }, { author: 2 }]),
    notes: '1 old, 2 old, 2 other, 1 ada, 2 other',
  },
  { title: 'an untold default', call: create({}), isFilled: true, notes: '1 old, 2 old, 1 ada' },
  {
    title: 'a new author',
    call: (engine) =>
      createItems(engine, 'notes', [{ author: { id: 3, name: 'Cy' } }, { author: { id: 4, name: 'Ada' } }]),
    notes: '1 old, 2 old, 3 other, 4 ada',
  },
  {
    title: 'nested notes',
    call: (engine) => updateItem(engine, 'people', 2, { notes: [{ id: 2, views: 1 }, { views: 2 }] }),
    notes: '1 old, 2 other, 2 other',
  },
  {
    title: 'update that only the stored row decides',
    call: (engine) => updateItem(engine, 'notes', 1, { author: 2 }),
    notes: '2 other, 2 old',
  },
  {
    title: 'updates by key, each by its own',
    call: (engine) => updateItems(engine, 'notes', [1, 2], { views: 3 }),
    notes: '1 ada, 2 other',
  },
  {
    title: 'update by query, each by its own',
    call: (engine) => updateByQuery(engine, 'notes', { limit: 9 }, { views: 3 }),
    notes: '1 ada, 2 other',
  },
  {
    title: 'upserts that update and create',
    call: (engine) =>
      upsertItems(
        engine,
        'notes',
        ['b', 'c', 'a'].map((by) => ({ by, author: by === 'a' ? 1 : 2, views: 1 })),
        {},
        { on: 'by' },
      ),
    notes: '1 ada, 2 other, 2 other',
  },
  {
    title: 'a first rule that leaves a required field empty',
    call: create({ author: 2 }),
    rules: { create: [{ filter: ofAda }, other] },
    notes: '1 old, 2 old, 2 other',
  },
  {
    title: 'a first rule that fills in what the table refuses',
    call: create({ author: 2 }),
    rules: { create: [{ filter: ofAda, presets: { kind: 'ada', by: 'a' } }, other] },
    notes: '1 old, 2 old, 2 other',
  },
  {
    title: 'a first rule that holds and fills in what the table refuses',
    call: create({ author: 1 }),
    rules: { create: [{ filter: { author: 1 }, presets: { kind: 'ada', by: 'a' } }, other] },
    notes: 'RECORD_NOT_UNIQUE',
  },
  {
    title: 'the third of three',
    call: create({ author: 2, views: 1 }),
    rules: {
      create: [
        { filter: ofAda, presets: { kind: 'ada' } },
        { validation: { author: { name: 'Cy' } }, presets: { kind: 'cy' } },
        { filter: { author: { name: 'Bo' } }, presets: { kind: 'bo' } },
      ],
    },
    notes: '1 old, 2 old, 2 bo',
  },
  {
    title: 'no parts of two',
    call: create({ author: 2 }),
    rules: {
      create: [
        { filter: { author: { name: 'Bo' } }, validation: ofAda, presets: { kind: 'one' } },
        { filter: ofAda, validation: { author: { name: 'Bo' } }, presets: { kind: 'two' } },
      ],
    },
    notes: 'FAILED_VALIDATION',
  },
  {
    title: 'what the first says where none holds',
    call: create({ author: 2 }),
    rules: {
      create: [
        { filter: ofAda, presets: { kind: 'one' } },
        { validation: ofAda, ...other },
      ],
    },
    notes: 'FORBIDDEN',
  },
  {
    title: 'a reference that no rule shows',
    call: create({ author: 2 }),
    rules: { people: { read: { filter: { id: 1 } } } },
    notes: 'INVALID_FOREIGN_KEY',
  },
]

const doors: Readonly<
  Record<string, (engine: Caller, call: Call, db: OpenDatabase['db']) => Promise<unknown>>
> = {
  function: (engine, call) => call(engine),
  transaction: (engine, call) => engine.transaction((inside) => call(inside)),
  host: (engine, call, db) => db.transaction().execute((own) => call(engine.using(own))),
}

/** Each case by the function alone, and every fourth through the other doors. */
const called = Object.entries(doors).flatMap(([door, way]) =>
  cases.filter((_, at) => door === 'function' || at % 4 === 1).map((one) => ({ ...one, door, way })),
)

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Caller
  const run = (statement: string) => sql.raw<AnyTables[string]>(statement).execute(opened.db)
  const callerBy = (more: object = {}) => {
    const { people = rules.people, ...notes } = more as { readonly people?: object }
    return engine.as({ user: 1, rules: { people, notes: { ...rules.notes, ...notes } } as Rules })
  }
  const openNotes = async (column = '') => {
    opened = await open()
    const id = name === 'sqlite' ? 'integer' : 'integer generated by default as identity (start with 10)'
    await run(`create table people (id ${id} primary key, name text not null)`)
    await run(
      `create table notes (id ${id} primary key, author integer ${column}, "by" text unique, kind text not null, views integer, secret text)`,
    )
    await run("insert into people values (1, 'Ada'), (2, 'Bo')")
    await run(`insert into notes (id, author, "by", kind) values (1, 1, 'a', 'old'), (2, 2, 'b', 'old')`)
    engine = createEngine({ db: opened.db, schema }) as unknown as Caller
  }
  const stored = async () =>
    (await listItems(engine, 'notes', { sort: ['id'] })).data
      .map(({ author, kind }) => `${author} ${kind}`)
      .join(', ')

  beforeEach(() => openNotes())

  it.each(called)('$title, by $door', async ({ call, notes, rules: own, isFilled, way }) => {
    if (isFilled) {
      await opened.close()
      await openNotes('default 1')
    }
    const done = way(callerBy(own), call, opened.db)
    const code = await done.then(
      () => undefined,
      ({ code: thrown }) => thrown,
    )
    const rows = await stored()
    expect(code ?? rows).toBe(notes)
    if (code) expect(rows).toBe('1 old, 2 old')
  })

  it('an attempt that is undone tells nobody, and the host nothing of it', async () => {
    const told: unknown[] = []
    engine = createEngine({
      db: opened.db,
      schema,
      onError: (error) => told.push(error),
    }) as unknown as Caller
    for (const when of ['before', 'beforeCommit', 'after'] as const)
      engine.on('items.create', 'notes', ({ keys }) => void told.push([when, keys.length]), { when })
    await createItem(callerBy(), 'notes', { author: 2 })
    expect(told).toEqual([
      ['before', 0],
      ['beforeCommit', 1],
      ['after', 1],
    ])
  })

  it('each item gets the secret of its own rule', async () => {
    const update = ['one', 'two'].map((secret, at) => ({
      ...(at === 0 && { validation: { ...ofAda, ...counted } }),
      presets: { secret },
    }))
    await updateByQuery(callerBy({ update }), 'notes', { limit: 9 }, { views: 3 })
    const { rows } = await run('select secret from notes order by id')
    const secrets = rows.map(({ secret }) => {
      const [, , , salt = '', hash] = String(secret).split('$')
      const isOf = (plain: string) =>
        scryptSync(plain, Buffer.from(salt, 'base64'), 32, { N: 2 ** 14, r: 8, p: 1 })
          .toString('base64')
          .replaceAll('=', '') === hash
      return ['one', 'two'].find(isOf)
    })
    expect(secrets).toEqual(['one', 'two'])
  })
})
