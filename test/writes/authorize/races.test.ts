// Rivals that change what a rule looks at while the statement of a write waits for its row.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  createItem,
  defineSchema,
  deleteByQuery,
  deleteItem,
  type Engine,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { judging } from '../../../src/writes/context/row-template.ts'
import { type OpenDatabase, openPostgres } from '../../support/databases.ts'
import { integer, key, many, one, string } from '../../support/fields.ts'
import { behindRival } from '../../support/waiting-transactions.ts'

const schema = defineSchema({
  teams: {
    fields: {
      id: key,
      isOpen: { type: 'boolean', column: 'is_open' },
      members: many('members.team'),
    },
  },
  members: { fields: { id: key, team: one('teams'), person: integer } },
  tasks: {
    fields: {
      id: key,
      title: string,
      owner: integer,
      isOpen: { type: 'boolean', column: 'is_open' },
      team: one('teams'),
    },
  },
})
type Ours = Engine<typeof schema>

const own = { filter: { owner: '$CURRENT_USER' } }
const related = { filter: { team: { members: { person: '$CURRENT_USER' } } } }
const ofOpenTeam = { validation: { team: { isOpen: true } } }
const callers = {
  own: { user: 1, rules: { tasks: { read: own, update: own, delete: own } } },
  related: { user: 1, rules: { tasks: { read: related, update: related, delete: related } } },
  creating: {
    user: 1,
    rules: {
      teams: { read: { filter: { members: { person: '$CURRENT_USER' } } } },
      tasks: { read: true, create: true },
    },
  },
  creatingWithin: { user: 1, rules: { teams: { read: true }, tasks: { read: true, create: related } } },
  ofOpenTeams: {
    user: 1,
    rules: { teams: { read: true }, tasks: { read: true, create: ofOpenTeam, update: ofOpenTeam } },
  },
  openOnly: {
    user: 1,
    rules: {
      tasks: { read: own, update: { filter: { isOpen: true } }, delete: { filter: { isOpen: true } } },
    },
  },
} as const

/** What the rival does to row 1, which it has locked, while a call waits for it, and how that is refused. */
type Race = readonly [
  title: string,
  as: keyof typeof callers,
  rival: string,
  verb: string,
  call: (engine: Ours) => Promise<unknown>,
  code: string,
  holds?: string,
]

const update = (engine: Ours) => updateItem(engine, 'tasks', 1, { title: 'new' })
const create = (engine: Ours) =>
  createItem(engine, 'tasks', { title: 'new', owner: 1, isOpen: true, team: 1 })
const move = (engine: Ours) => updateItem(engine, 'tasks', 1, { team: 2 })
const remove = (engine: Ours) => deleteItem(engine, 'tasks', 1)
const updateAll = (engine: Ours) =>
  updateByQuery(engine, 'tasks', { filter: { id: { _lt: 9 } } }, { title: 'new' })
const updateBoth = (engine: Ours) => updateItems(engine, 'tasks', [1, 2], { title: 'new' })
const updateEach = (engine: Ours) =>
  updateItems(engine, 'tasks', [
    { id: 2, title: 'new' },
    { id: 1, title: 'other' },
  ])
const removeAll = (engine: Ours) => deleteByQuery(engine, 'tasks', { filter: { id: { _lt: 9 } } })
const gives = 'update tasks set owner = 2 where id = 1'
const ends = 'delete from members where person = 1'
const ofTask = 'select 1 from tasks where id = 1 for update'
const closesTeam = 'update teams set is_open = false'
const ofTeam = 'select 1 from teams for update'
const closes = 'update tasks set is_open = false where id = 1'

const races: readonly Race[] = [
  ['a row that is given away', 'own', gives, 'updated', update, 'NOT_FOUND'],
  ['a row that is given away', 'own', gives, 'deleted', remove, 'NOT_FOUND'],
  ['a membership that ends', 'related', ends, 'updated', update, 'NOT_FOUND'],
  ['a membership that ends', 'related', ends, 'deleted', remove, 'NOT_FOUND'],
  ['a row that is closed', 'openOnly', closes, 'updated', update, 'FORBIDDEN'],
  ['one of several rows that is closed', 'openOnly', closes, 'updated by a query', updateAll, 'FORBIDDEN'],
  ['one of several rows that is closed', 'openOnly', closes, 'deleted by a query', removeAll, 'FORBIDDEN'],
  ['a row that is given away', 'own', gives, 'updated with others', updateBoth, 'NOT_FOUND'],
  ['a membership that ends', 'related', ends, 'updated with others', updateBoth, 'NOT_FOUND'],
  ['a row that is closed', 'openOnly', closes, 'updated with others', updateBoth, 'FORBIDDEN'],
  ['a row that is given away', 'own', gives, 'updated in a list', updateEach, 'NOT_FOUND'],
  ['a membership that ends', 'related', ends, 'updated in a list', updateEach, 'NOT_FOUND'],
  ['a row that is closed', 'openOnly', closes, 'updated in a list', updateEach, 'FORBIDDEN'],
  ['a team that closes', 'ofOpenTeams', closesTeam, 'given a task', create, 'FAILED_VALIDATION', ofTeam],
  ['a team that closes', 'ofOpenTeams', closesTeam, 'given one of others', move, 'FAILED_VALIDATION', ofTeam],
]

describe.each([true, false])('on PostgreSQL, by one statement: %s', (isByStatement) => {
  let opened: OpenDatabase
  let engine: Ours
  const rows = async () => await opened.run('select id, title, owner, is_open from tasks order by id')
  beforeAll(async () => {
    opened = await openPostgres()
    await opened.run('create table teams (id integer primary key, is_open boolean)')
    await opened.run(
      'create table members (id integer primary key, team integer references teams, person integer)',
    )
    await opened.run(
      'create table tasks (id integer generated by default as identity (start with 9) primary key, title text, owner integer, is_open boolean, team integer references teams)',
    )
    await opened.run('insert into teams values (1, true), (2, true)')
    engine = createEngine({ db: opened.db, schema })
  })
  beforeEach(async () => {
    judging.isByStatement = isByStatement
    await opened.run('delete from tasks')
    await opened.run('delete from members')
    await opened.run('update teams set is_open = true')
    await opened.run('insert into members values (1, 1, 1)')
    await opened.run("insert into tasks values (1, 'a', 1, true, 1), (2, 'b', 1, true, 1)")
    return () => {
      judging.isByStatement = true
    }
  })

  const named = races.map(([title, as, rival, verb, call, code, holds = ofTask]) => ({
    title,
    as,
    rival,
    verb,
    call,
    code,
    holds,
  }))
  it.each(named)('$title is not $verb behind its back: $code', async ({ as, rival, call, code, holds }) => {
    const caller = engine.as(callers[as] as Access<typeof schema>) as Ours
    // What is asked once is asked before.
    await updateItem(caller, 'tasks', 2, { title: 'b' })
    const rivalry = { holds, does: rival }
    const { outcome } = await behindRival(opened, rivalry, () => call(caller))
    const stored = await rows()
    expect(await outcome).toMatchObject({ code })
    expect(await rows()).toEqual(stored)
    expect(stored).toMatchObject([{ title: 'a' }, { title: 'b' }])
  })
})
