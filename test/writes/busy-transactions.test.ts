// Tables that make something else of what is written than they were told.

import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  listItems,
  updateItem,
} from '../../src/index.ts'
import { takeCitext } from '../support/citext.ts'
import { databases, type OpenDatabase, sqlite } from '../support/databases.ts'
import { key, many, maybeOne, string, text } from '../support/fields.ts'

const schema = defineSchema({
  notes: { fields: { id: key, text: string, lines: many('lines.note') } },
  lines: { fields: { id: key, text: string, note: maybeOne('notes') } },
  loud: { fields: { id: key, text: string, upper: text } },
  places: { fields: { id: { type: 'string', key: true }, name: string } },
})

let opened: OpenDatabase | undefined
afterEach(async () => {
  opened = undefined
})

/** Opens a database with some tables; `ID` stands for a key that is counted up. */
async function engineWith(
  { name, open }: (typeof databases)[number],
  ...statements: readonly string[]
): Promise<Engine<typeof schema>> {
  opened = await open()
  const id = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
  const lines = 'create table lines (id ID, text text not null, note int)'
  for (const statement of [...statements, lines]) await opened.run(statement.replace('ID', id))
  return createEngine({ db: opened.db, schema })
}

const notes = 'create table notes (id ID, text text not null)'
const nested = (...texts: readonly string[]) => texts.map((text) => ({ text, lines: [{ text }] }))
const shown = { fields: ['id', 'text', 'lines.text'] } as const

/** The statements by which a trigger keeps some rows out, and says nothing. */
const keepOut: Record<(typeof databases)[number]['name'], readonly string[]> = {
  sqlite: [
    `create trigger keep_out before insert on notes when new.text = 'no' begin select raise(ignore); end`,
  ],
  postgres: [
    `create function keep_out() returns trigger language plpgsql as
      $$ begin if new.text = 'no' then return null; end if; return new; end $$`,
    'create trigger keep_out before insert on notes for each row execute function keep_out()',
  ],
}

describe.each(databases)('on $name', (database) => {
  it.each([
    ['one', ['no']],
    ['one of two', ['no', 'yes']],
    ['one of many', [...Array<string>(300).fill('yes'), 'no', 'yes']],
  ])('%s that a trigger keeps out keeps out all, and none gets the key of another', async (_how, texts) => {
    const engine = await engineWith(database, notes, ...keepOut[database.name])
    const refused = { code: 'FAILED_VALIDATION', extensions: { collection: 'notes' } }
    const plain = texts.map((text) => ({ text }))
    await expect(createItems(engine, 'notes', plain)).rejects.toMatchObject(refused)
    await expect(createItems(engine, 'notes', nested(...texts))).rejects.toMatchObject(refused)
    expect(await listItems(engine, 'notes')).toEqual({ data: [] })
    expect(await listItems(engine, 'lines')).toEqual({ data: [] })
  })

  it('a column that the database alone computes is no server error, though the schema does not know', async () => {
    const engine = await engineWith(
      database,
      'create table loud (id ID, text text not null, upper text generated always as (upper(text)) stored)',
    )
    const refused = { code: 'FAILED_VALIDATION', extensions: { collection: 'loud' } }
    await expect(createItem(engine, 'loud', { text: 'a', upper: 'b' })).rejects.toMatchObject(refused)
    const { id } = await createItem(engine, 'loud', { text: 'a' })
    await expect(updateItem(engine, 'loud', id, { upper: 'b' })).rejects.toMatchObject(refused)
  })

  it('an item is updated and answered by the key that it has, where two texts are the same to the database', async () => {
    const key = database.name === 'sqlite' ? 'text collate nocase' : 'citext'
    const extension = database.name === 'sqlite' ? [] : ['create extension if not exists citext']
    if (database.name === 'postgres') await takeCitext()
    const engine = await engineWith(
      database,
      ...extension,
      `create table places (id ${key} primary key, name text not null)`,
    )
    await createItem(engine, 'places', { id: 'Oslo', name: 'Christiania' })
    expect(await updateItem(engine, 'places', 'oslo', { name: 'Oslo' })).toEqual({ id: 'Oslo', name: 'Oslo' })
  })
})

describe.each(databases.filter(({ name }) => name === 'postgres'))('on $name alone', (database) => {
  it('keys that are counted down belong to the rows that they were made for', async () => {
    const engine = await engineWith(
      database,
      'create sequence down increment by -1',
      `create table notes (id int primary key default nextval('down'), text text not null)`,
    )
    const of = (key: number, text: string) => ({ id: key, text, lines: [{ text }] })
    expect(await createItems(engine, 'notes', nested('a', 'b'), shown)).toEqual([of(-1, 'a'), of(-2, 'b')])
    const plain = ['c', 'd'].map((text) => ({ text }))
    expect(await createItems(engine, 'notes', plain, { fields: ['id', 'text'] })).toEqual([
      { id: -3, text: 'c' },
      { id: -4, text: 'd' },
    ])
  })

  it('an item whose given key a trigger changes is answered, and hung on, by the one it gets', async () => {
    const engine = await engineWith(
      database,
      notes,
      `create function shift() returns trigger language plpgsql as
        $$ begin new.id = new.id + 100; return new; end $$`,
      'create trigger shift before insert on notes for each row execute function shift()',
    )
    const keyed = nested('a', 'b').map((item, index) => ({ id: index + 1, ...item }))
    expect(await createItems(engine, 'notes', keyed, shown)).toEqual([
      { id: 101, text: 'a', lines: [{ text: 'a' }] },
      { id: 102, text: 'b', lines: [{ text: 'b' }] },
    ])
    expect(await createItem(engine, 'notes', { id: 3, text: 'c' }, { fields: ['id'] })).toEqual({ id: 103 })
  })

  it.each([
    ['beyond the numbers of its sequence', 'create sequence made as smallint', 40_000],
    ['of a sequence that counts down', 'create sequence made increment by -1', 7],
  ])('a key that is given %s is kept', async (_which, sequence, id) => {
    const engine = await engineWith(
      database,
      sequence,
      `create table notes (id int primary key default nextval('made'), text text not null)`,
      'alter sequence made owned by notes.id',
    )
    expect(await createItem(engine, 'notes', { id, text: 'given' }, { fields: ['id'] })).toEqual({ id })
    const { id: made } = await createItem(engine, 'notes', { text: 'made' })
    expect(Math.abs(made)).toBe(1)
  })

  it.each([
    ['begins behind', 'generated by default as identity (start with 1000)', [], [1, 1001, 1002]],
    ['is to begin behind', 'generated by default as identity', ['restart with 500'], [1, 501, 502]],
    [
      'is to begin before',
      'generated by default as identity (start with 1000)',
      ['restart'],
      [1000, 1001, 1002],
    ],
    ['has begun', 'generated by default as identity', [], [40, 41, 42]],
  ])(
    'a key that is given to a sequence that %s leaves the next ones free',
    async (_which, made, later, ids) => {
      const engine = await engineWith(
        database,
        `create table notes (id int ${made} primary key, text text not null)`,
        ...later.map((words) => `alter table notes alter column id ${words}`),
      )
      const [id] = ids
      const given = await createItem(engine, 'notes', { id, text: 'given' } as never, { fields: ['id'] })
      const others = await createItems(engine, 'notes', [{ text: 'a' }, { text: 'b' }], { fields: ['id'] })
      expect([given, ...others].map((item) => item.id)).toEqual(ids)
    },
  )

  it.each([
    [
      'a key that is always made',
      'create table notes (id int primary key generated always as identity, text text)',
      'x',
    ],
    [
      'what a view does not show',
      "create table papers (id int, text text); create view notes as select * from papers where text <> 'no' with check option",
      'no',
    ],
    [
      'what a trigger raises with a code of its own',
      `create table notes (id int, text text);
       create function raise_own() returns trigger language plpgsql as
         $$ begin raise exception 'secret' using errcode = 'MY001'; end $$;
       create trigger raise_own before insert on notes for each row execute function raise_own()`,
      'x',
    ],
  ])('%s is no server error', async (_what, statements, text) => {
    const engine = await engineWith(database, ...statements.split(/;\s+(?=create)/))
    const error = await createItem(engine, 'notes', { id: 1, text }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'FAILED_VALIDATION', extensions: { collection: 'notes' }, path: [] })
    expect(String(error)).not.toContain('secret')
  })

  it('what a policy for rows refuses is forbidden', async () => {
    const engine = await engineWith(
      database,
      notes,
      "create policy polite on notes using (true) with check (text <> 'no')",
      'alter table notes enable row level security',
      // A role of every server.
      'grant all on notes to pg_monitor',
      'grant all on sequence notes_id_seq to pg_monitor',
      "do $$ begin execute 'grant usage on schema ' || current_schema() || ' to pg_monitor'; end $$",
      "insert into notes (text) values ('yes')",
    )
    const refused = { code: 'FORBIDDEN', status: 403, extensions: { collection: 'notes' } }
    await opened?.db.transaction().execute(async (transaction) => {
      await sql`set local role pg_monitor`.execute(transaction)
      const inside = engine.using(transaction)
      // The role may not read the lines of a note.
      const query = { fields: ['id'] } as const
      await expect(createItem(inside, 'notes', { text: 'no' }, query)).rejects.toMatchObject(refused)
      await expect(updateItem(inside, 'notes', 1, { text: 'no' }, query)).rejects.toMatchObject(refused)
      expect(await updateItem(inside, 'notes', 1, { text: 'also' }, query)).toEqual({ id: 1 })
    })
  })
})

it('a column that counts nothing up is told as what is wrong with the schema', async () => {
  const engine = await engineWith(sqlite, 'create table notes (id int primary key, text text not null)')
  const refusal = { code: 'INVALID_SCHEMA', message: 'The database has an item of "notes" without a "id".' }
  await expect(createItem(engine, 'notes', { text: 'one' })).rejects.toMatchObject(refusal)
  await expect(createItems(engine, 'notes', [{ text: 'two' }, { text: 'three' }])).rejects.toMatchObject(
    refusal,
  )
})
