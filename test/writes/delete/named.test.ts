// Deletions by keys: all rows or none, by one statement, whatever others, triggers and the tables do.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  defineSchema,
  deleteItem,
  deleteItems,
  type Engine,
} from '../../../src/index.ts'
import { databases, type OpenDatabase, openPostgres } from '../../support/databases.ts'
import { integer, key, many, maybeOne, one, text } from '../../support/fields.ts'
import { behindRival } from '../../support/waiting-transactions.ts'

const schema = defineSchema({
  teams: { fields: { id: key, members: many('members.team') } },
  members: { fields: { id: key, team: one('teams'), person: integer } },
  notes: { fields: { id: key, owner: integer, team: maybeOne('teams'), parent: maybeOne('notes'), text } },
  tags: { fields: { name: { type: 'string', key: true }, size: integer } },
  codes: { fields: { id: { type: 'uuid', storage: 'text', key: true }, size: integer } },
  pairs: { key: ['a', 'b'], fields: { a: integer, b: integer, size: integer } },
  marks: { fields: { id: key, note: one('notes') } },
})
type Ours = Engine<typeof schema>

const own = { filter: { owner: '$CURRENT_USER' } } as const
const related = { filter: { team: { members: { person: '$CURRENT_USER' } } } } as const
const whole = { read: true, delete: true } as const
const callers: Readonly<Record<string, Access<typeof schema>['rules'] | undefined>> = {
  'without rules': undefined,
  'under a rule on an own column': { notes: { read: own, delete: own } },
  'under a rule on related rows': { notes: { read: related, delete: related } },
  'under a rule that shows more': {
    notes: { read: true, delete: own },
    tags: whole,
    pairs: whole,
    codes: whole,
  },
}
const forms = Object.keys(callers)
const limited = forms.slice(1)

const tables = [
  'create table teams (id integer primary key)',
  'create table members (id integer primary key, team integer, person integer)',
  `create table notes (id integer primary key, owner integer, team integer,
    parent integer references notes (id) on delete cascade, text text)`,
  'create table tags (name text primary key, size integer)',
  'create table codes (id text primary key, size integer)',
  'create table pairs (a integer, b integer, size integer, primary key (a, b))',
  'create table marks (id integer primary key, note integer not null references notes (id))',
  'insert into teams values (1), (2)',
  'insert into members values (1, 1, 1)',
  `insert into notes values (1, 1, 1, null, 'a'), (2, 1, 1, null, 'b'), (3, 1, 1, null, 'c'), (4, 2, 2, null, 'd'),
    (5, 1, 1, 3, 'e')`,
  "insert into tags values ('b', 1), ('a', 2), ('C', 3)",
  'insert into pairs values (1, 1, 1), (1, 2, 2), (2, 1, 3)',
]

function prepared(open: () => Promise<OpenDatabase>) {
  let opened: OpenDatabase | undefined
  const statements: string[] = []
  beforeEach(async () => {
    opened = await open()
    for (const table of tables) await opened.run(table)
    statements.length = 0
  })
  const there = () => {
    if (!opened) throw new Error('not open')
    return opened
  }
  return {
    there,
    statements,
    run: (text: string) => sql.raw(text).execute(there().db),
    left: async (table = 'notes', column = 'id') =>
      (await there().run(`select ${column} as k from ${table} order by ${column}`)).map(
        (row) => Object(row).k,
      ),
    engineFor: (form: string): Ours => {
      const onQuery = ({ sql: text }: { readonly sql: string }) => statements.push(text)
      const engine = createEngine({ db: there().db, schema, onQuery })
      const rules = callers[form]
      return rules ? (engine.as({ user: 1, rules }) as Ours) : engine
    },
  }
}

const refused = (code: string) => ({ code, path: undefined })
const failure = (error: unknown) => ({ code: Object(error).code, path: Object(error).path })
const outcome = (call: Promise<unknown>) => call.catch(failure)

describe.each(databases)('on $name', ({ name, open }) => {
  const { run, left, engineFor, statements } = prepared(open)

  it.each(forms)('are answered in the order of the call, each once, %s', async (form) => {
    const engine = engineFor(form)
    expect(await deleteItems(engine, 'notes', [3, 1, 3])).toEqual({ deleted: 2, keys: [3, 1] })
    // The third has taken the fifth along.
    expect(await left()).toEqual([2, 4])
    expect(await deleteItems(engine, 'notes', [2], undefined, { keys: false })).toEqual({ deleted: 1 })
    expect(await deleteItems(engine, 'notes', [])).toEqual({ deleted: 0, keys: [] })
  })

  it.each(forms)('go away also where one takes another of them along, %s', async (form) => {
    expect(await deleteItems(engineFor(form), 'notes', [5, 3, 1])).toEqual({ deleted: 3, keys: [5, 3, 1] })
    expect(await left()).toEqual([2, 4])
  })

  it.each(forms)('take one statement for any number, %s', async (form) => {
    const from = 100
    const all = Array.from({ length: 2_500 }, (_, at) => from + 2_500 - at)
    await run(`insert into notes (id, owner, team) select ${from} + n, 1, 1 from (with recursive s (n) as
      (select 1 union all select n + 1 from s where n < 2500) select n from s) as t`)
    const engine = engineFor(form)
    await deleteItems(engine, 'notes', [1, 2])
    statements.length = 0
    expect(await deleteItems(engine, 'notes', all, undefined, { keys: false })).toEqual({ deleted: 2_500 })
    expect(statements.filter((one) => /delete from/i.test(one))).toHaveLength(1)
    const isLocked = name === 'postgres' && form.includes('related')
    expect(statements.length).toBeLessThanOrEqual(isLocked ? 4 : name === 'postgres' ? 1 : 3)
    expect(await left()).toEqual([3, 4, 5])
  })

  it.each(forms)('stay, all of them, where one is not there, %s', async (form) => {
    const engine = engineFor(form)
    for (let call = 0; call < 2; call++)
      expect(await outcome(deleteItems(engine, 'notes', [1, 99, 2]))).toEqual(refused('NOT_FOUND'))
    expect(await left()).toEqual([1, 2, 3, 4, 5])
  })

  it.each(limited)('stay, all of them, where one may not be deleted, %s', async (form) => {
    const isSeen = form.includes('more')
    const error = refused(isSeen ? 'FORBIDDEN' : 'NOT_FOUND')
    expect(await outcome(deleteItems(engineFor(form), 'notes', [1, 4, 2]))).toMatchObject({
      code: error.code,
    })
    // What is not there comes before what is not allowed.
    expect(await outcome(deleteItems(engineFor(form), 'notes', [99, 4]))).toEqual(refused('NOT_FOUND'))
    expect(await left()).toEqual([1, 2, 3, 4, 5])
  })

  it.each(forms)('stay, all of them, where another row refers to one, %s', async (form) => {
    await run('insert into marks values (1, 2)')
    const engine = engineFor(form)
    expect(await outcome(deleteItems(engine, 'notes', [1, 2]))).toEqual(refused('INVALID_FOREIGN_KEY'))
    expect(await outcome(deleteItems(engine, 'notes', [2, 99]))).toEqual(refused('NOT_FOUND'))
    expect(await left()).toEqual([1, 2, 3, 4, 5])
  })

  it.each(forms)('stay where a trigger keeps one, also one that came between two calls, %s', async (form) => {
    const engine = engineFor(form)
    await deleteItems(engine, 'notes', [3, 5])
    await run(
      name === 'sqlite'
        ? 'create trigger keep before delete on notes when old.id = 2 begin select raise(ignore); end'
        : `create function keep() returns trigger language plpgsql as 'begin if old.id = 2 then return null; end if; return old; end'`,
    )
    if (name === 'postgres')
      await run('create trigger keep before delete on notes for each row execute function keep()')
    for (let call = 0; call < 2; call++)
      expect(await outcome(deleteItems(engine, 'notes', [1, 2]))).toEqual(refused('NOT_FOUND'))
    expect(await outcome(deleteItem(engine, 'notes', 2))).toEqual(refused('NOT_FOUND'))
    expect(await left()).toEqual([1, 2, 4])
    expect(await deleteItems(engine, 'notes', [1])).toEqual({ deleted: 1, keys: [1] })
  })

  it('have keys that are texts, or have several parts', async () => {
    for (const form of ['without rules', 'under a rule that shows more']) {
      const engine = engineFor(form)
      const isFirst = form === 'without rules'
      const names = isFirst ? ['b', 'a'] : ['C']
      expect(await outcome(deleteItems(engine, 'tags', [...names, 'c']))).toEqual(refused('NOT_FOUND'))
      expect(await deleteItems(engine, 'tags', names)).toEqual({ deleted: names.length, keys: names })
      const pairs = isFirst
        ? ([
            [1, 2],
            [1, 1],
          ] as const)
        : ([[2, 1]] as const)
      expect(await outcome(deleteItems(engine, 'pairs', [...pairs, [2, 2]]))).toEqual(refused('NOT_FOUND'))
      expect(await deleteItems(engine, 'pairs', pairs as never)).toEqual({
        deleted: pairs.length,
        keys: pairs,
      })
    }
    expect([await left('tags', 'name'), await left('pairs', 'size')]).toEqual([[], []])
  })

  it('stay where two rows spell one key, and another is not there', async () => {
    const [one, other] = ['abcdefab-cdef-4bcd-8fab-cdefabcdefab', '00000000-0000-4000-8000-00000000000b']
    await run(`insert into codes values ('${one}', 1), ('${one.toUpperCase()}', 2)`)
    for (const form of ['without rules', 'under a rule that shows more'])
      expect(await outcome(deleteItems(engineFor(form), 'codes', [one, other]))).toEqual(refused('NOT_FOUND'))
    expect(await left('codes', 'size')).toEqual([1, 2])
  })

  it.each(forms)('are undone with the transaction around them, or alone in it, %s', async (form) => {
    const engine = engineFor(form)
    const undone = engine.transaction(async (inside) => {
      await deleteItems(inside, 'notes', [1, 2])
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await engine.transaction(async (inside) => {
      expect(await outcome(deleteItems(inside, 'notes', [1, 99]))).toEqual(refused('NOT_FOUND'))
      expect(await deleteItems(inside, 'notes', [2, 3])).toEqual({ deleted: 2, keys: [2, 3] })
    })
    expect(await left()).toEqual([1, 4])
  })

  it.each(forms)('end without a deadlock in opposite orders, and none is repeated, %s', async (form) => {
    const keys = Array.from({ length: 40 }, (_, at) => 1_000 + at)
    const engine = engineFor(form)
    await deleteItems(engine, 'notes', [1, 2])
    for (let round = 0; round < 3; round++) {
      await run(`insert into notes (id, owner, team) values ${keys.map((id) => `(${id}, 1, 1)`).join(', ')}`)
      statements.length = 0
      const lists = [keys, keys.toReversed()]
      const ended = await Promise.all(lists.map((list) => outcome(deleteItems(engine, 'notes', list))))
      expect(ended).toContainEqual(refused('NOT_FOUND'))
      expect(ended.filter((one) => Object(one).deleted === keys.length)).toHaveLength(1)
      expect(statements.filter((one) => /delete from/.test(one)).length).toBeLessThanOrEqual(2)
    }
  })
})

describe('beside others, on postgres', () => {
  const { there, run, left, engineFor } = prepared(openPostgres)

  it.each(forms)('lock the first row first, %s', async (form) => {
    const engine = engineFor(form)
    // A statement of the same text may have another plan.
    for (const keys of [
      [2, 1],
      [5, 3],
    ] as const) {
      const [last, first] = keys
      const rival = {
        holds: `select 1 from notes where id = ${Math.min(first, last)} for update`,
        does: `select 1 from notes where id = ${Math.max(first, last)} for update nowait`,
      }
      const { outcome: found } = await behindRival(there(), rival, () => deleteItems(engine, 'notes', keys))
      expect(await found).toEqual({ deleted: 2, keys })
    }
  })

  const meanwhile = {
    'is deleted': 'delete from notes where id = 2',
    'gets another owner': 'update notes set owner = 2 where id = 2',
    'changes its key': 'update notes set id = 77 where id = 2',
    'changes its team': 'update notes set team = 2 where id = 2',
  }
  it.each(Object.entries(meanwhile).flatMap(([what, does]) => forms.map((form) => ({ what, does, form }))))(
    'stay where one $what while they wait, $form',
    async ({ does, form, what }) => {
      const engine = engineFor(form)
      await deleteItems(engine, 'notes', [5, 3])
      const rival = { holds: 'select 1 from notes where id = 2 for update', does }
      const { outcome: found } = await behindRival(there(), rival, () =>
        outcome(deleteItems(engine, 'notes', [2, 1])),
      )
      const isOwners = form.includes('own') || form.includes('more')
      const remains =
        (what.includes('owner') && !isOwners) || (what.includes('team') && !form.includes('related'))
      const code = what.includes('owner') && form.includes('more') ? 'FORBIDDEN' : 'NOT_FOUND'
      expect(await found).toMatchObject(remains ? { deleted: 2, keys: [2, 1] } : { code })
      if (!remains) expect(await left()).toContain(1)
    },
  )

  it('stay where the membership that allows them ends while they wait', async () => {
    const engine = engineFor('under a rule on related rows')
    const rival = {
      holds: 'select 1 from notes where id = 1 for update',
      does: 'delete from members',
    }
    const { outcome: found } = await behindRival(there(), rival, () =>
      outcome(deleteItems(engine, 'notes', [2, 1])),
    )
    expect(await found).toEqual(refused('NOT_FOUND'))
    expect(await left()).toHaveLength(5)
  })

  it('need no right to update', async () => {
    const role = `deleter_${process.pid}`
    await run(`create role ${role}`)
    try {
      const { rows } = await run('select current_schema() as name')
      await run(`grant usage on schema ${Object(rows[0]).name} to ${role}`)
      await run(`grant select, delete on notes to ${role}`)
      const deleted = await there()
        .db.transaction()
        .execute(async (transaction) => {
          await sql.raw(`set local role ${role}`).execute(transaction)
          const inside = engineFor('without rules').using(transaction)
          return [await deleteItems(inside, 'notes', [2, 1]), await deleteItems(inside, 'notes', [4, 3])]
        })
      expect(deleted.map(({ keys }) => keys)).toEqual([
        [2, 1],
        [4, 3],
      ])
    } finally {
      await run(`drop owned by ${role}`)
      await run(`drop role ${role}`)
    }
  })

  it('delete from views whose rows cannot be locked', async () => {
    await run('alter table notes rename to stored')
    await run(
      'create view notes as select id, min(owner) as owner, min(team) as team, min(parent) as parent, min(text) as text from stored group by id',
    )
    await run(
      `create function away() returns trigger language plpgsql as 'begin delete from stored where id = old.id; return old; end'`,
    )
    await run('create trigger away instead of delete on notes for each row execute function away()')
    const engine = engineFor('without rules')
    for (const keys of [
      [2, 1],
      [4, 5],
    ])
      expect(await deleteItems(engine, 'notes', keys)).toEqual({ deleted: 2, keys })
    expect(await left()).toEqual([3])
  })
})
