// The recorded requests are answered as they were recorded, but for the deviations.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  type Engine,
  getItem,
  getSingleton,
  isEngineError,
  listItems,
  listItemsJson,
  parseQuery,
  type Schema,
} from '../../src/index.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { lanes } from '../support/lanes.ts'
import { deviations } from './deviations.ts'
import recordedReads from './fixture/recorded-reads.json' with { type: 'json' }
import rows from './fixture/rows.json' with { type: 'json' }
import { schema as typed } from './fixture/schema.ts'
import { createTables } from './tables.ts'

interface Recorded {
  readonly name: string
  readonly collection: string
  readonly key?: string
  readonly query: unknown
  readonly expect: unknown
}

const schema: Schema = typed
const recorded: readonly Recorded[] = recordedReads

/** Who asked when the requests were recorded. */
const access = {
  admin: true,
  user: idOf(rows.users, { email: 'admin@example.com' }),
  role: idOf(rows.roles, { name: 'Administrator' }),
}
const deviating = new Map(deviations.flatMap(({ answers }) => Object.entries(answers)))
const isEqual = ({ name }: Recorded) => !deviating.has(name)

describe.each(lanes)('on $title', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine
  beforeAll(async () => {
    opened = await open()
    await createTables(name, opened.db, schema, rows)
    const variables = { $CURRENT_USER: 'users', $CURRENT_ROLE: 'roles' }
    engine = createEngine({ db: opened.db, schema, variables }).as(access)
  })
  afterAll(() => opened.close())

  it.each(recorded.filter(isEqual))('$name', async (request) => {
    expect(await outcome(engine, request)).toEqual(alike(request.expect))
  })

  describe.each(deviations)('$sentence', ({ answers }) => {
    it.each(Object.keys(answers))('%s', async (title) => {
      const request = named(title)
      const found = await outcome(engine, request)
      expect(found).not.toEqual(alike(request.expect))
      expect(found).toEqual(alike(answers[title]))
    })
  })
})

it('at most 30 sentences are behind the deviations, and each request has one', () => {
  expect(deviations.length).toBeLessThanOrEqual(30)
  expect(deviations.flatMap(({ answers }) => Object.keys(answers))).toEqual([...deviating.keys()])
})

function idOf(items: readonly { readonly id: string }[], wanted: Readonly<Record<string, string>>): string {
  const found = items.find((item) =>
    Object.entries(wanted).every(([name, value]) => Reflect.get(item, name) === value),
  )
  if (!found) throw new Error(`There is no row with ${JSON.stringify(wanted)}.`)
  return found.id
}

function named(title: string): Recorded {
  const request = recorded.find(({ name }) => name === title)
  if (request === undefined) throw new Error(`No recorded request is called ${title}.`)
  return request
}

async function outcome(engine: Engine, { collection, key, query: given }: Recorded): Promise<unknown> {
  try {
    const query = parseQuery(given, { isText: true })
    if (key !== undefined) return { data: alike(await getItem(engine, collection, key, query)) }
    if (engine.schema.collections.get(collection)?.isSingleton)
      return { data: alike(await getSingleton(engine, collection, query)) }
    const answer = await listItems(engine, collection, query)
    expect(JSON.parse(await listItemsJson(engine, collection, query))).toEqual(answer)
    return alike(answer)
  } catch (error) {
    if (isEngineError(error)) return error.code
    throw error
  }
}

/** A number and its text were recorded as equal. */
function alike(value: unknown): unknown {
  if (typeof value === 'string') return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (Array.isArray(value)) return value.map(alike)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, alike(inner)]))
}
