// Rows of a query under rules that look at other rows: they are locked where they are found, in the order of their keys, and exactly these are written.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, deleteByQuery, type Engine, updateByQuery } from '../../../src/index.ts'
import { type OpenDatabase, openPostgres } from '../../support/databases.ts'
import { integer, key, many, number, one } from '../../support/fields.ts'
import { behindRival } from '../../support/waiting-transactions.ts'

const size = { size: number }
const schema = defineSchema({
  teams: { fields: { id: key, members: many('members.team') } },
  members: { fields: { id: key, team: one('teams'), person: integer } },
  /** Tables whose keys are of several types, also in two columns. */
  tasks: { fields: { id: key, team: one('teams'), ...size } },
  labels: { fields: { id: { type: 'string', key: true }, team: one('teams'), ...size } },
  days: { fields: { id: { type: 'timestamp', key: true }, team: one('teams'), ...size } },
  seats: {
    key: ['line', 'place'],
    fields: { line: integer, place: { type: 'uuid' }, team: one('teams'), ...size },
  },
})
const tables = ['tasks', 'labels', 'days', 'seats'] as const
const theirs = { filter: { team: { members: { person: '$CURRENT_USER' } } } }
const rule = { read: true, update: theirs, delete: theirs }
const rules = {
  ...{ teams: { read: true }, members: { read: true } },
  ...Object.fromEntries(tables.map((name) => [name, { ...rule, read: theirs }])),
}
const uuid = (n: number) => `00000000-0000-0000-0000-00000000000${n}`
/** The key of a row by its number, as the table has it. */
const keys = {
  tasks: String,
  labels: (n) => `'{"a", ${n}\\ NULL}'`,
  days: (n) => `'2026-01-0${n} 10:00:00.123456+00'`,
  seats: (n) => `${n}, '${uuid(n)}'`,
} satisfies Readonly<Record<(typeof tables)[number], (n: number) => string>>

describe('on postgres', () => {
  let opened: OpenDatabase
  let caller: Engine<typeof schema>
  beforeEach(async () => {
    opened = await openPostgres()
    await opened.run(
      'create table teams (id integer primary key)',
      'create table members (id integer primary key, team integer, person integer)',
      'create table tasks (id integer primary key, team integer, size integer)',
      'create table labels (id varchar(30) primary key, team integer, size integer)',
      'create table days (id timestamptz primary key, team integer, size integer)',
      'create table seats (line integer, place uuid, team integer, size integer, primary key (line, place))',
      'insert into teams values (1), (2)',
      'insert into members values (1, 1, 1), (2, 2, 2)',
      ...tables.flatMap((name) =>
        [3, 1, 2].map((n) => `insert into ${name} values (${keys[name](n)}, ${n === 2 ? 2 : 1}, ${n})`),
      ),
    )
    caller = createEngine({ db: opened.db, schema }).as({ user: 1, rules } as never) as never
  })
  const sizes = async (name: (typeof tables)[number]) =>
    (await opened.run(`select size from ${name} order by 1`)).map(({ size }) => size)
  const query = { filter: { size: { _lt: 9 } } } as never

  it.each(tables)('the rows of %s that a caller sees are written, whatever their keys are', async (name) => {
    expect(await updateByQuery(caller, name, query, { size: 7 } as never)).toMatchObject({ updated: 2 })
    expect(await sizes(name)).toEqual([2, 7, 7])
    expect(await deleteByQuery(caller, name, query)).toMatchObject({ deleted: 2 })
    expect(await sizes(name)).toEqual([2])
    expect(await deleteByQuery(caller, name, query, { keys: false })).toEqual({ deleted: 0 })
  })

  const calls = {
    'an update': () => updateByQuery(caller, 'tasks', query, { size: 8 } as never),
    'a deletion': () => deleteByQuery(caller, 'tasks', query),
  }
  it.each(Object.entries(calls))('%s locks the first row first', async (_, call) => {
    const { outcome } = await behindRival(
      opened,
      {
        holds: 'select 1 from tasks where id = 1 for update',
        does: 'select 1 from tasks where id = 3 for update nowait',
      },
      call,
    )
    expect(await outcome).toMatchObject({ keys: [1, 3] })
  })

  it.each(Object.entries(calls))(
    '%s leaves rows that the query finds only after the lock',
    async (_, call) => {
      const { outcome } = await behindRival(
        opened,
        {
          holds: 'select 1 from tasks where id = 1 for update',
          does: 'insert into tasks values (4, 1, 4)',
        },
        call,
      )
      expect(await outcome).toMatchObject({ keys: [1, 3] })
      expect(await opened.run('select size from tasks where id = 4')).toEqual([{ size: 4 }])
    },
  )

  it.each(Object.entries(calls))('%s leaves a row that ceases to be visible meanwhile', async (_, call) => {
    const { outcome } = await behindRival(
      opened,
      {
        holds: 'select 1 from tasks where id = 1 for update',
        does: 'update tasks set team = 2 where id = 1',
      },
      call,
    )
    expect(await outcome).toMatchObject({ keys: [3] })
    expect(await opened.run('select size from tasks where id = 1')).toEqual([{ size: 1 }])
  })
})
