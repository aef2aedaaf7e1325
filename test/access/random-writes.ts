// Drawn writes: what a database holds, what a caller may do, what they ask for, and what somebody else writes meanwhile.
import {
  type Access,
  createItem,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import type { Random } from '../property/seeded-random.ts'
import { integer, key, many, maybeOne, string } from '../support/fields.ts'

export const schema = defineSchema({
  lists: {
    fields: {
      id: key,
      name: string,
      tasks: { type: 'o2m', from: 'tasks.list', deselect: 'delete' },
      notes: many('notes.list'),
    },
  },
  tasks: { fields: { id: key, tenant: integer, status: string, text: string, list: maybeOne('lists') } },
  notes: { fields: { id: key, tenant: integer, status: string, list: maybeOne('lists') } },
})
export type Lists = Engine<typeof schema>
type Name = 'tasks' | 'notes'

/** A condition in both languages. */
interface Condition {
  readonly filter: Readonly<Record<string, unknown>>
  readonly sql: string
  readonly isAboutLists?: boolean
}

const simple: readonly Condition[] = [
  { filter: { tenant: 1 }, sql: 'tenant = 1' },
  { filter: { tenant: { _neq: 2 } }, sql: 'tenant <> 2' },
  { filter: { status: 'draft' }, sql: `status = 'draft'` },
  { filter: { list: { _nnull: true } }, sql: 'list is not null' },
  { filter: { list: 1 }, sql: 'list = 1' },
]
const aboutLists: Condition = {
  filter: { list: { name: 'one' } },
  sql: `list in (select id from lists where name = 'one')`,
  isAboutLists: true,
}

function condition(random: Random): Condition {
  if (random.chance(0.15)) return aboutLists
  const [one, other] = [random.one(simple), random.one(simple)]
  return random.do(
    () => one,
    () => ({ filter: { _or: [one.filter, other.filter] }, sql: `(${one.sql} or ${other.sql})` }),
    () => ({ filter: { _and: [one.filter, other.filter] }, sql: `(${one.sql} and ${other.sql})` }),
  )
}

/** What a caller sees, in words of the database, and what they may do with it. */
export interface DrawnCaller {
  readonly access: Access<typeof schema>
  /** The same caller, who may do everything with what they see. */
  readonly free: Access<typeof schema>
  readonly seen: Readonly<Record<Name, string>>
}

export interface DrawnWrite {
  readonly rows: readonly string[]
  readonly caller: DrawnCaller
  readonly call: (engine: Lists) => Promise<unknown>
  /** What is called, for a report. */
  readonly title: string
  /** What somebody else writes. */
  readonly other: string
}

export function drawnWrite(random: Random): DrawnWrite {
  const { caller, isAboutLists } = drawnCaller(random)
  const rows = drawnRows(random)
  const { call, title, ...drawn } = drawnCall(random)
  // Rows that a condition leads to are not locked: two conditions, of rules or of the query, may see another moment of them each.
  const mayNameLists = isAboutLists + Number(drawn.isAboutLists ?? false) <= 1
  return { rows, caller, call, title, other: drawnOther(random, mayNameLists) }
}

/** How many rules lead to lists is told, too. */
function drawnCaller(random: Random): { readonly caller: DrawnCaller; readonly isAboutLists: number } {
  const reads = { tasks: condition(random), notes: condition(random) }
  const changes = { tasks: condition(random), notes: condition(random) }
  const removals = { tasks: condition(random), notes: condition(random) }
  const validation = random.chance(0.3) ? { validation: { status: { _neq: 'published' } } } : {}
  const presets = random.chance(0.3) ? { presets: { text: 'preset' } } : {}
  const rulesOf = (name: Name) => ({
    read: { filter: reads[name].filter },
    create: random.chance(0.7) ? true : validation,
    update: random.chance(0.3) ? true : { filter: changes[name].filter, ...validation },
    delete: random.chance(0.3) ? true : { filter: removals[name].filter },
  })
  const lists = { read: true, create: true, update: true } as const
  const tasks = rulesOf('tasks')
  const rules = {
    lists,
    tasks: tasks.update === true ? tasks : { ...tasks, update: { ...tasks.update, ...presets } },
    notes: rulesOf('notes'),
  }
  const whole = { create: true, update: true, delete: true } as const
  const free = {
    lists,
    tasks: { read: rules.tasks.read, ...whole },
    notes: { read: rules.notes.read, ...whole },
  }
  const all = [reads, changes, removals].flatMap(({ tasks: one, notes }) => [one, notes])
  return {
    caller: {
      access: { rules } as Access<typeof schema>,
      free: { rules: free } as Access<typeof schema>,
      seen: { tasks: reads.tasks.sql, notes: reads.notes.sql },
    },
    isAboutLists: all.filter((one) => one.isAboutLists).length,
  }
}

const rowsOfEach = 4
/** Often the same, so that two who write meet. */
const someKey = (random: Random) => (random.chance(0.6) ? 1 : 1 + random.below(rowsOfEach))
const someList = (random: Random) => random.one([1, 2, null])
const someStatus = (random: Random) => random.one(['draft', 'published'])
const sqlOf = (value: string | number | null) => (typeof value === 'string' ? `'${value}'` : String(value))

function drawnRows(random: Random): readonly string[] {
  const row = (id: number, ...others: readonly (string | number | null)[]) =>
    `(${[id, 1 + random.below(2), someStatus(random), ...others, someList(random)].map(sqlOf).join(', ')})`
  const ids = Array.from({ length: rowsOfEach }, (_, index) => index + 1)
  return [
    `insert into lists values (1, 'one'), (2, 'two')`,
    `insert into tasks values ${ids.map((id) => row(id, random.one(['x', 'y']))).join(', ')}`,
    `insert into notes values ${ids.map((id) => row(id)).join(', ')}`,
  ]
}

/** Some of the fields that both have, and at least one. */
function change(random: Random): Record<string, unknown> {
  const all = { status: someStatus(random), tenant: 1 + random.below(2), list: someList(random) }
  const names = new Set([
    random.one(['status', 'tenant', 'list']),
    ...random.some(['status', 'tenant', 'list'], 2),
  ])
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)))
}

/** Far from the keys of rows, seen or not. */
const newKey = (random: Random) => 50 + random.below(1_000)
const newTask = (random: Random) => ({
  id: newKey(random),
  tenant: 1 + random.below(2),
  status: someStatus(random),
  text: 'new',
})
const newNote = (random: Random) => ({
  id: newKey(random),
  tenant: 1 + random.below(2),
  status: someStatus(random),
})

function drawnChildren(random: Random, name: Name): unknown {
  const known = (): Record<string, unknown> => ({
    id: someKey(random),
    ...(random.chance(0.5) ? { status: someStatus(random) } : {}),
  })
  const made = () => (name === 'tasks' ? newTask(random) : newNote(random))
  return random.do<unknown>(
    () => [],
    () => [known()],
    () => [made(), known()],
    () => ({ create: [made()] }),
    () => ({ update: [known()] }),
    () => ({ delete: [someKey(random)] }),
    () => ({ create: [made()], update: [known()] }),
  )
}

/** A call of a verb, and what it was called with. Types are the drawing's own. */
interface DrawnCall extends Pick<DrawnWrite, 'call' | 'title'> {
  /** Its query leads to lists. */
  readonly isAboutLists?: boolean | undefined
}

function drawnCall(random: Random): DrawnCall {
  const name = random.one(['tasks', 'tasks', 'notes'] as const)
  const called = (
    verb: (engine: never, collection: never, ...given: never[]) => Promise<unknown>,
    collection: string,
    ...given: readonly unknown[]
  ) => ({
    title: `${verb.name}(${[collection, ...given].map((one) => JSON.stringify(one)).join(', ')})`,
    // Keys stay away from what is drawn anew with each call.
    call: (engine: Lists) => Reflect.apply(verb, undefined, [engine, collection, ...structuredClone(given)]),
  })
  const calledByQuery = (verb: Parameters<typeof called>[0], ...given: readonly unknown[]): DrawnCall => {
    const { filter, isAboutLists } = condition(random)
    return { ...called(verb, name, { filter }, ...given), isAboutLists }
  }
  const keys = () => [someKey(random), someKey(random)]
  return random.do<DrawnCall>(
    () => called(updateItem, name, someKey(random), change(random)),
    () => called(updateItems, name, keys(), change(random)),
    () =>
      called(
        updateItems,
        name,
        [...new Set(keys())].map((id) => ({ id, ...change(random) })),
      ),
    () => calledByQuery(updateByQuery, change(random)),
    () => called(deleteItem, name, someKey(random)),
    () => called(deleteItems, name, keys()),
    () => calledByQuery(deleteByQuery),
    () => called(createItem, 'tasks', { ...newTask(random), list: someList(random) }),
    () =>
      called(createItem, 'tasks', { ...newTask(random), list: { id: 1 + random.below(2), name: 'again' } }),
    () => called(updateItem, 'lists', 1 + random.below(2), { tasks: drawnChildren(random, 'tasks') }),
    () => called(updateItem, 'lists', 1 + random.below(2), { notes: drawnChildren(random, 'notes') }),
    () =>
      called(updateItem, 'lists', 1 + random.below(2), {
        tasks: drawnChildren(random, 'tasks'),
        notes: drawnChildren(random, 'notes'),
      }),
  )
}

function drawnOther(random: Random, mayNameLists: boolean): string {
  const name = random.one(['tasks', 'tasks', 'notes'])
  const where = random.chance(0.7) ? `id = ${someKey(random)}` : random.one(simple).sql
  const set = Object.entries(change(random))
    .map(([field, value]) => `${field} = ${sqlOf(value as string | number | null)}`)
    .join(', ')
  return random.do(
    () => `update ${name} set ${set} where ${where}`,
    () => `update ${name} set ${set} where ${where}`,
    () => `delete from ${name} where ${where}`,
    () =>
      mayNameLists
        ? `update lists set name = ${sqlOf(random.one(['one', 'two']))} where id = ${1 + random.below(2)}`
        : `delete from ${name} where ${where}`,
  )
}
