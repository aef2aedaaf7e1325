// What is watched and written in a run, drawn by chance.
import { type Engine, explainItems } from '../../src/index.ts'
import { perform, randomWrite, type Write } from '../access/drawn-writes.ts'
import { newKey } from '../access/hidden-changes.ts'
import { isHidden } from '../access/removed.ts'
import { outcomeOf } from '../access/requests.ts'
import { fieldNames, keyOf, type Row, relationOf, typeOf, type World } from '../oracle/dataset.ts'
import { randomOperators } from '../oracle/random-condition.ts'
import type { Random } from '../property/seeded-random.ts'
import { type Counts, count } from './counted.ts'

type Query = Readonly<Record<string, unknown>>

const equality = ['_eq', '_eq', '_neq', '_in', '_nin', '_null', '_nnull']
const order = [...equality, '_lt', '_lte', '_gt', '_gte', '_between', '_nbetween']
const parts = ['_contains', '_ncontains', '_icontains', '_starts_with', '_istarts_with', '_ends_with']
const text = [...equality, ...parts, ...parts.map((word) => word.replace(/^_n?/, '_n'))]

/** The operators that memory judges, by the type of a field. */
const judged: Readonly<Record<string, readonly string[]>> = {
  boolean: equality,
  uuid: equality,
  integer: order,
  bigInteger: order,
  date: order,
  time: order,
  dateTime: order,
  timestamp: order,
  string: text,
  text,
}

/** Returns a query with a filter that memory judges, of what a caller sees; now and then of values alone, so that each item is its own business. */
export function withJudgedFilter(random: Random, seen: World, collection: string, query: Query): Query {
  if (!seen.definition[collection]) return query
  const values = fieldNames(seen, collection).filter(
    (name) => !isHidden(name) && relationOf(seen, collection, name) === undefined,
  )
  const names = values.filter((name) => judged[typeOf(seen, collection, name)])
  if (names.length === 0) return query
  const condition = () => {
    const name = random.one(names)
    const type = typeOf(seen, collection, name)
    const samples = (seen.rows[collection] ?? []).map((row) => row[name])
    return {
      [name]: randomOperators({ random, world: seen, tally: new Map() }, type, samples, judged[type] ?? []),
    }
  }
  const filter = random.do<Query>(
    condition,
    condition,
    () => ({ _and: [condition(), condition()] }),
    () => ({ _or: [condition(), condition()] }),
  )
  const isOfGroups = query.aggregate !== undefined || query.groupBy !== undefined
  if (isOfGroups || random.chance(0.4)) return { ...query, filter }
  const { limit, sort: _sort } = query
  const sort = random.chance(0.5) && { sort: random.one([random.one(values), `-${random.one(values)}`]) }
  return {
    filter,
    fields: values.filter(() => random.chance(0.7)),
    ...sort,
    ...(limit !== undefined && { limit }),
  }
}

/** True if a list takes as long as a hundred others: relations of relations make statements without end. */
export async function isHuge(engine: Engine, collection: string, query: Query): Promise<boolean> {
  const explained = await outcomeOf(() => explainItems(engine, collection, query))
  const sql: unknown = 'answer' in explained && Reflect.get(Object(explained.answer), 'sql')
  return typeof sql === 'string' && sql.length > 20_000
}

class Undone extends Error {}

/** Draws writes of the rows that there are by now. */
export class DrawnWrites {
  readonly #random: Random
  readonly #counts: Counts
  /** The rows as they were written: some of them are gone, and come again. */
  readonly #rows: Readonly<Record<string, Row[]>>
  readonly #living: World
  #created = 0

  constructor(random: Random, world: World, counts: Counts) {
    this.#random = random
    this.#counts = counts
    const rows: Record<string, Row[]> = {}
    for (const [name, all] of Object.entries(world.rows)) rows[name] = [...all]
    this.#rows = rows
    this.#living = { ...world, rows: this.#rows }
  }

  /** Writes alone, in a transaction, in one of the host's, or in one that is undone. */
  async write(engine: Engine): Promise<void> {
    const how = this.#random.one([
      ...(['alone', 'alone', 'together', 'by the host', 'undone', 'in a part'] as const),
    ])
    count(this.#counts, `written ${how}`)
    const writes = this.#random.many(1, how === 'alone' ? 1 : 4, () => this.#drawn())
    const all = async (inside: Engine) => {
      for (const one of writes) await outcomeOf(() => inside.transaction((part) => perform(part, one)))
    }
    if (how === 'alone') for (const one of writes) await outcomeOf(() => perform(engine, one))
    else if (how === 'together') await engine.transaction(all)
    else if (how === 'by the host') {
      const inside = await engine.db.transaction().execute(async (transaction) => {
        const using = engine.using(transaction)
        await all(using)
        return using
      })
      await inside.committed()
    } else
      await engine
        .transaction(async (inside) => {
          if (how === 'in a part') await all(inside)
          await inside
            .transaction(async (part) => {
              await all(part)
              throw new Undone()
            })
            .catch(() => undefined)
          if (how === 'undone') throw new Undone()
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undone)) throw error
        })
  }

  #drawn(): Write {
    const random = this.#random
    const living = this.#living
    const everything = Object.fromEntries(Object.keys(living.definition).map((name) => [name, {}]))
    const one = randomWrite(random, living, living, { access: { rules: everything }, reads: {} })
    const rows = this.#rows[one.collection] ?? []
    const key = keyOf(living, one.collection)
    if (one.verb === 'delete') {
      const at = rows.findIndex((row) => row[key] === one.key)
      if (at >= 0 && random.chance(0.7)) rows.splice(at, 1)
      return one
    }
    const data: Row = Object.fromEntries(
      Object.entries(one.data).map(([name, value]) => [name, this.#oftenKnown(rows, name, value)]),
    )
    if (one.verb === 'update') return { ...one, data }
    // An item comes back under the key that it had.
    const isKnown = rows.length > 0 && random.chance(0.3)
    const created = { ...data, [key]: isKnown ? random.one(rows)[key] : this.#freshKey(one.collection, key) }
    if (!isKnown) rows.push(created)
    return { ...one, data: created }
  }

  /** Rows often get what others have, so that they come and go where others are. */
  #oftenKnown(rows: readonly Row[], name: string, value: unknown): unknown {
    const random = this.#random
    const known = rows.length > 0 && random.chance(0.4) ? random.one(rows)[name] : undefined
    return known ?? value
  }

  #freshKey(collection: string, key: string): unknown {
    const type = typeOf(this.#living, collection, key)
    this.#created += 1
    return type === 'integer' ? 10_000 + this.#created : newKey(this.#random, type)
  }
}
