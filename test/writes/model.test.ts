// Random calls of the writing verbs leave what a model in memory leaves, on every database.
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  isEngineError,
  listItems,
  type Schema,
  updateByQuery,
  updateItem,
  updateItems,
  updateSingleton,
} from '../../src/index.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { across, many, maybeOne, one, string, text } from '../support/fields.ts'
import { type Command, Draw, found } from './commands.ts'
import { kinds, Model, Refused, type State } from './model.ts'

const key = { type: 'string', key: true } as const

const schema: Schema = defineSchema({
  people: {
    fields: {
      id: key,
      name: string,
      boss: maybeOne('people'),
      pets: many('pets.owner'),
      badges: { type: 'o2m', from: 'badges.holder', deselect: 'delete' },
      clubs: across('members.person', 'club'),
    },
  },
  pets: { fields: { id: key, name: text, owner: maybeOne('people') } },
  badges: { fields: { id: key, text, holder: one('people') } },
  clubs: { fields: { id: key, name: { ...text, unique: true } } },
  members: { fields: { id: key, person: one('people'), club: one('clubs') } },
  config: { singleton: true, fields: { id: key, value: text } },
})

const tables = [
  'people (id text primary key, name text not null, boss text references people)',
  'pets (id text primary key, name text, owner text references people on delete set null)',
  'badges (id text primary key, text text, holder text not null references people on delete cascade)',
  'clubs (id text primary key, name text unique)',
  'members (id text primary key, person text not null references people on delete cascade, club text not null references clubs on delete cascade)',
  'config (id text primary key, value text)',
]

/** Of each database; a few hundred calls. */
const commands = drawsOf('commands of a writer')

const tally = new Map<string, number>()
const count = (word: string) => tally.set(word, (tally.get(word) ?? 0) + 1)

describe.each(databases)('on $name', ({ name, open }) => {
  it(`${commands} random calls leave what the model leaves (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const { db, close, run } = await open()
    for (const table of tables) await run(`create table ${table}`)
    const engine = createEngine({ db, schema })
    const random = new Random(fuzzSeed + name.length)
    let state: State = new Map()
    for (let number = 1; number <= commands; ) {
      const size = random.chance(0.25) ? 1 + random.below(4) : 0
      if (size === 0) state = await tried(engine, state, random, number++)
      else {
        const isKept = random.chance(0.6)
        const first = number
        number += size
        const after = await inTransaction(engine, isKept, async (inside) => {
          let inner = state
          for (let at = first; at < number; at++) inner = await tried(inside, inner, random, at)
          return inner
        })
        if (isKept) state = after
        count(isKept ? 'transaction' : 'rollback')
      }
      expect(await contents(engine), `after call ${number - 1} of seed ${fuzzSeed}`).toEqual(shown(state))
    }
    await close()
    for (const verb of ['create', 'update', 'delete', 'updateFound', 'deleteFound', 'single'])
      expect([verb, (tally.get(`${verb} done`) ?? 0) > commands / 50]).toEqual([verb, true])
    for (const verb of ['create', 'update', 'delete'])
      expect([verb, (tally.get(`${verb} refused`) ?? 0) > commands / 200]).toEqual([verb, true])
    tally.clear()
  })
})

class RolledBack extends Error {}

async function inTransaction(
  engine: Engine,
  isKept: boolean,
  work: (inside: Engine) => Promise<State>,
): Promise<State> {
  let after: State = new Map()
  try {
    await engine.transaction(async (inside) => {
      after = await work(inside)
      if (!isKept) throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  return after
}

/** Makes a call of the engine and of the model, and answers what there should be now. */
async function tried(engine: Engine, state: State, random: Random, number: number): Promise<State> {
  const model = new Model(state)
  const command = new Draw(random, model, number).command()
  const where = `call ${number} of seed ${fuzzSeed}: ${JSON.stringify(command)}`
  const expected = modelled(model, command)
  const outcome = await done(engine, command).catch((error: unknown) => error)
  if (!isRefusal(outcome)) expect(outcome, where).not.toBeInstanceOf(Error)
  expect(isRefusal(outcome) ? `refused: ${outcome.message}` : 'done', where).toEqual(
    expected === undefined ? expect.stringMatching(/^refused/) : 'done',
  )
  count(`${command.verb} ${expected ? 'done' : 'refused'}`)
  if (expected === undefined) return state
  if (expected.keys) expect(outcome, where).toMatchObject({ keys: expected.keys })
  return model.state
}

/** The caller's own fault. */
const isRefusal = (outcome: unknown): outcome is Error => isEngineError(outcome) && outcome.status < 500

function modelled(model: Model, command: Command): { readonly keys?: readonly string[] } | undefined {
  try {
    return applied(model, command)
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

function applied(model: Model, command: Command): { readonly keys?: readonly string[] } {
  if (command.verb === 'single')
    model.write('config', [command.data], model.rows('config').size === 0 ? 'create' : 'update')
  else if (command.verb === 'delete') model.remove(command.of, [...new Set(command.keys)])
  else if ('items' in command) model.write(command.of, command.items, command.verb)
  else return appliedTo(model, command)
  return {}
}

function appliedTo(
  model: Model,
  command: Extract<Command, { readonly which: unknown }>,
): { readonly keys: readonly string[] } {
  const keys = found(model.rows(command.of).values(), command.which)
  if (command.verb === 'deleteFound') model.remove(command.of, keys)
  else
    model.write(
      command.of,
      keys.map((id) => ({ ...command.data, id })),
      'update',
    )
  return { keys }
}

async function done(engine: Engine, command: Command): Promise<unknown> {
  if (command.verb === 'single') return updateSingleton(engine, 'config', command.data)
  if (command.verb === 'deleteFound') return deleteByQuery(engine, command.of, command.which)
  if (command.verb === 'updateFound') return updateByQuery(engine, command.of, command.which, command.data)
  if (command.verb === 'delete') {
    const [only, ...others] = command.keys
    if (only !== undefined && others.length === 0) return deleteItem(engine, command.of, only)
    return deleteItems(engine, command.of, command.keys)
  }
  const { verb, of, items } = command
  const [only, ...others] = items
  if (only === undefined || others.length > 0)
    return verb === 'create' ? createItems(engine, of, items) : updateItems(engine, of, items)
  return verb === 'create' ? createItem(engine, of, only) : updateItem(engine, of, String(only.id), only)
}

async function contents(engine: Engine): Promise<unknown> {
  const all: unknown[] = []
  for (const name of Object.keys(kinds)) {
    const { data } = await listItems(engine, name, { fields: fieldsOf(name), sort: ['id'], limit: -1 })
    all.push([name, data])
  }
  return all
}

const fieldsOf = (name: string) => [
  'id',
  ...(kinds[name]?.plain ?? []),
  ...Object.keys(kinds[name]?.links ?? {}),
]

function shown(state: State): unknown {
  return Object.keys(kinds).map((name) => {
    const rows = [...(state.get(name)?.values() ?? [])]
    const complete = rows.map((row) =>
      Object.fromEntries(fieldsOf(name).map((field) => [field, row[field] ?? null])),
    )
    return [name, complete.sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1))]
  })
}
