// Updates and deletions by query, and deletions by keys, under rules of every form: by one statement as by a look at each row.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  updateByQuery,
} from '../../../src/index.ts'
import { judging } from '../../../src/writes/context/row-template.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { integer, key, many, one, string } from '../../support/fields.ts'

const own = { team: { members: { person: '$CURRENT_USER' } } } as const
const fieldsOf = (title: object, team: object) => ({
  id: key,
  title: { ...string, ...title },
  size: integer,
  team: { ...one('teams'), nullable: true, ...team },
})
const others = {
  teams: { fields: { id: key, name: string, members: many('members.team') } },
  members: { fields: { id: key, team: one('teams'), person: integer } },
} as const
const schema = defineSchema({ ...others, notes: { fields: fieldsOf({}, {}) } })
const validating = defineSchema({
  ...others,
  notes: { fields: fieldsOf({ validation: { team: { name: 'Red' } } }, { validation: own }) },
})
type Ours = Engine<typeof schema>

const rules = {
  'fields on some rows only': {
    notes: {
      read: [{ filter: { size: { _lt: 3 } } }, { fields: ['id', 'title', 'team'] }],
      update: true,
      delete: true,
    },
    teams: { read: true },
  },
  'a key on some rows only': {
    notes: { read: [{ filter: { size: { _lt: 3 } } }, { fields: ['title'] }], update: true, delete: true },
    teams: { read: true },
  },
  'some rows only': {
    notes: { read: true, update: { filter: { size: { _lt: 3 } } }, delete: { filter: { size: { _lt: 3 } } } },
    teams: { read: true },
  },
  'teams that are seen': {
    notes: { read: true, update: true, delete: true },
    teams: { read: { filter: { id: 1 } } },
  },
  'teams of members': {
    notes: { read: true, update: true, delete: true },
    teams: { read: { filter: { members: { person: '$CURRENT_USER' } } } },
    members: { read: true },
  },
  'a membership': {
    notes: { read: { filter: own }, update: { filter: own }, delete: { filter: own } },
    teams: { read: true },
    members: { read: true },
  },
  'a validation through a membership': {
    notes: { read: true, update: { validation: own }, delete: { filter: own } },
    teams: { read: true },
    members: { read: true },
  },
  'two rules': {
    notes: {
      read: true,
      update: [
        { filter: { size: { _lt: 3 } }, validation: { title: { _neq: 'no' } } },
        { filter: { size: { _gt: 4 } }, fields: ['title'], validation: own },
      ],
      delete: [{ filter: own }, { filter: { size: 5 } }],
    },
    teams: { read: true },
    members: { read: true },
  },
}

const filters = [
  { id: { _gt: 0 } },
  { size: { _gt: 3 } },
  { _or: [{ size: { _gt: 4 } }, { title: 'b' }] },
  { team: { name: 'Red' } },
  { id: { _gt: 90 } },
] as const

const keyLists = [[1], [2], [4], [6], [1, 2], [3, 1], [5, 3, 1, 6], [2, 4], [1, 99], [3, 3, 1], [5]] as const

const payloads = [
  { title: 'new' },
  { title: 'no' },
  { team: 1 },
  { team: 2 },
  { team: null },
  { title: 'new', team: 2 },
  { size: 1 },
  { size: { _inc: 1 } },
] as const

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Ours
  beforeAll(async () => {
    opened = await open()
    await opened.run('create table teams (id integer primary key, name text)')
    await opened.run('create table members (id integer primary key, team integer, person integer)')
    await opened.run(
      'create table notes (id integer primary key, title text, size integer, team integer references teams)',
    )
    await opened.run("insert into teams values (1, 'Red'), (2, 'Blue')")
    await opened.run('insert into members values (1, 1, 1), (2, 2, 2)')
    engine = createEngine({ db: opened.db, schema })
  })

  async function outcome(isByStatement: boolean, call: () => Promise<unknown>) {
    await opened.run('delete from notes')
    await opened.run(
      "insert into notes values (1, 'a', 1, 1), (2, 'b', 2, 2), (3, 'c', 3, 1), (4, 'd', 4, null), (5, 'e', 5, 2), (6, 'f', null, 1)",
    )
    judging.isByStatement = isByStatement
    try {
      const answer = await call().catch((error: unknown) => {
        const { code, path, message } = Object(error)
        return { code, path, message }
      })
      return { answer, rows: await opened.run('select * from notes order by id') }
    } finally {
      judging.isByStatement = true
    }
  }

  it.each(Object.entries(rules))('is the same under rules with %s', (_, ours) => compare(engine, ours))

  it.each([
    ['without rules', undefined],
    ['under rules', rules['two rules']],
  ] as const)('is the same where the schema validates what rows refer to, %s', (_, ours) =>
    compare(createEngine({ db: opened.db, schema: validating }) as unknown as Ours, ours),
  )

  async function compare(engine: Ours, ours: object | undefined) {
    const calls = filters.flatMap((filter) => [
      ...payloads.map((data) => ({
        title: JSON.stringify([filter, data]),
        run: (caller: Ours) => updateByQuery(caller, 'notes', { filter } as never, data as never),
      })),
      {
        title: JSON.stringify(filter),
        run: (caller: Ours) => deleteByQuery(caller, 'notes', { filter } as never),
      },
    ])
    const deletions = keyLists.flatMap((keys) => [
      { title: `keys ${keys}`, run: (caller: Ours) => deleteItems(caller, 'notes', [...keys]) },
      { title: `key ${keys[0]}`, run: (caller: Ours) => deleteItem(caller, 'notes', keys[0]) },
    ])
    // Statements are made for all callers of the same rules.
    for (const user of [1, 2]) {
      const access = ours ? { user, rules: ours } : { user, admin: true }
      const caller = engine.as(access as unknown as Access<typeof schema>) as Ours
      for (const call of [...(user === 1 ? calls : calls.slice(0, 9)), ...deletions])
        expect(await outcome(true, () => call.run(caller)), `${user}: ${call.title}`).toEqual(
          await outcome(false, () => call.run(caller)),
        )
    }
  }
})
