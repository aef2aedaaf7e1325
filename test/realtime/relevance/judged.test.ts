// Judgements of rows in memory, beside those of the database: a row that memory refuses is never found.

import { beforeAll, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  isEngineError,
  listItems,
  type Schema,
  type SchemaDefinition,
} from '../../../src/index.ts'
import { relevantIn } from '../../../src/items/watch/collections-in.ts'
import { comparableFields, readComparableRows } from '../../../src/items/watch/matching-rows.ts'
import { checkWatched } from '../../../src/items/watch/watched-list.ts'
import { rowMatcher } from '../../../src/plan/filter/may-hold.ts'
import { keyIdentity, readKey } from '../../../src/plan/key.ts'
import { memoryOrder } from '../../../src/plan/read/memory-order.ts'
import type { AnyFilter } from '../../../src/query/filter-types.ts'
import { keyParts, keyValue, type Row } from '../../oracle/dataset.ts'
import { randomFilter } from '../../oracle/random-filter.ts'
import { randomWorld } from '../../oracle/random-rows.ts'
import { randomSchema } from '../../oracle/random-schema.ts'
import { build, demolish } from '../../oracle/tables.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'

const worlds = drawsOf('worlds judged in memory')
const filtersPerWorld = 60

interface Judgement {
  /** Identities of the rows that memory refuses. */
  readonly refused: ReadonlySet<string>
  readonly all: ReadonlySet<string>
}

/** Judges all rows of a collection by a filter. */
async function judge(engine: Engine, name: string, filter: AnyFilter): Promise<Judgement> {
  const inside = internalsOf(engine)
  const collection = inside.schema.collections.get(name)
  if (!collection) throw new Error(name)
  const shown = relevantIn(inside, { collection: name, query: { filter }, part: 'members' }).get(name)?.shown
  if (!shown) throw new Error('nothing is known of it')
  const fields = await comparableFields(inside, collection)
  const columns = new Set(fields.map(({ column }) => column))
  const { mayHold } = rowMatcher(shown, {
    negationMatchesNull: inside.negationMatchesNull,
    isComparable: ({ subject }) => subject.kind === 'field' && columns.has(subject.field.column),
  })
  const keys = (await keysOf(engine, name, {})).map((shownKey) => readKey(collection, shownKey))
  const known = keys.filter((key) => key !== undefined)
  const rows = await readComparableRows(inside, collection, known, fields)
  const refused = [...rows].filter(([, row]) => !mayHold(row)).map(([identity]) => identity)
  return { refused: new Set(refused), all: new Set(known.map(keyIdentity)) }
}

interface OrderedPairs {
  /** Pairs of rows that memory knows to stand the other way around. */
  readonly wrong: number
  readonly known: number
  readonly all: number
}

async function compareInOrder(engine: Engine, name: string, sort: readonly string[]): Promise<OrderedPairs> {
  const inside = internalsOf(engine)
  const collection = inside.schema.collections.get(name)
  if (!collection) throw new Error(name)
  const fields = await comparableFields(inside, collection)
  const { order: keys } = checkWatched(inside, { collection: name, query: { sort }, part: 'watched' })
  const order = memoryOrder(keys, (field) => fields.some(({ column }) => column === field.column))
  const listed = (await keysOf(engine, name, {}, sort))
    .map((shown) => readKey(collection, shown))
    .filter((key) => key !== undefined)
  const all = (listed.length * (listed.length - 1)) / 2
  if (!order) return { wrong: 0, known: 0, all }
  const read = await readComparableRows(inside, collection, listed, fields)
  const rows = listed.flatMap((key) => read.get(keyIdentity(key)) ?? [])
  expect(rows.length).toBe(listed.length)
  const pairs = rows.flatMap((row, at) => rows.slice(at + 1).map((later) => [row, later] as const))
  return {
    wrong: pairs.filter(([row, later]) => order.isAfter(row, later)).length,
    known: pairs.filter(([row, later]) => order.isAfter(later, row)).length,
    all,
  }
}

async function keysOf(
  engine: Engine,
  name: string,
  filter: AnyFilter,
  sort: readonly string[] = [],
): Promise<readonly unknown[]> {
  const { key } = internalsOf(engine).schema.collections.get(name) ?? {}
  const fields = key && 'parts' in key ? key.parts.map((part) => part.name) : [key?.name ?? '']
  const { data } = await listItems(engine, name, { filter, fields, sort, limit: -1 })
  return data.map((row: Row) => (fields.length === 1 ? row[fields[0] ?? ''] : fields.map((one) => row[one])))
}

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
  })

  it(`memory refuses no row that a drawn filter finds (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const counts = { judged: 0, refused: 0, found: 0, pairs: 0, known: 0 }
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds; seed++) {
      const random = new Random(seed)
      const world = randomWorld(random, randomSchema(random, { keys: 'any' }))
      const schema: Schema = defineSchema<SchemaDefinition>(world.definition)
      const negationMatchesNull = random.chance(0.3)
      const engine = createEngine({ db: opened.db, schema, negationMatchesNull })
      try {
        await build(opened.db, world, name)
        for (let number = 0; number < filtersPerWorld; number++) {
          const keyed = Object.keys(world.definition).filter((one) => keyParts(world, one).length > 0)
          const collection = random.one(keyed)
          const filter = randomFilter({ world, random, tally: new Map() }, collection)
          const { refused, all } = await judge(engine, collection, filter)
          const model = engine.schema.collections.get(collection)
          const found = (world.rows[collection] ?? []).map((row) => keyValue(world, collection, row))
          expect(found.length).toBe(all.size)
          for (const shown of await keysOf(engine, collection, filter)) {
            const key = model && readKey(model, shown)
            const identity = key && keyIdentity(key)
            counts.found++
            if (identity === undefined || refused.has(identity))
              throw new Error(
                `QUERNEL_SEED=${seed}: ${collection} ${JSON.stringify(filter)} finds ${String(shown)}`,
              )
          }
          counts.judged += all.size
          counts.refused += refused.size
          const plain = [...(model?.fields.values() ?? [])].filter(
            ({ kind }) => kind === 'scalar' || kind === 'm2o',
          )
          const sort = random.many(1, 3, () => `${random.one(['', '-'])}${random.one(plain).name}`)
          const ordered = await compareInOrder(engine, collection, sort).catch(refusal)
          expect(ordered?.wrong ?? 0, `QUERNEL_SEED=${seed}: ${collection} by ${sort.join()}`).toBe(0)
          counts.pairs += ordered?.all ?? 0
          counts.known += ordered?.known ?? 0
        }
      } finally {
        await demolish(opened.db, world)
      }
    }
    expect(counts.found).toBeGreaterThan(worlds * 20)
    expect(counts.known).toBeGreaterThan(counts.pairs / 8)
    // Most rows that a filter does not find are refused without asking.
    expect(counts.refused).toBeGreaterThan((counts.judged - counts.found) / 8)
  })

  it(`memory refuses no hostile row (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const { db, run } = opened
    const isSqlite = name === 'sqlite'
    for (const statement of tables(isSqlite)) await run(statement)
    const random = new Random(fuzzSeed)
    const counts = { found: 0, refused: 0, hits: new Map<string, number>() }
    for (const negationMatchesNull of [false, true]) {
      const engine = createEngine({
        db,
        schema: hostile(isSqlite),
        negationMatchesNull,
        onError: () => undefined,
      })
      for (const [field, [type]] of Object.entries(columns(isSqlite)))
        for (let number = 0; number < trials; number++) {
          // A collation that ignores case takes no patterns on PostgreSQL.
          const words = field === 'nocase' ? comparing : (wordsOf[type] ?? ordered)
          const filter = { [field]: randomTest(random, type, words) }
          const [judged, found] = await Promise.all([
            judge(engine, 'hostile', filter).catch(refusal),
            keysOf(engine, 'hostile', filter).catch(refusal),
          ])
          if (!judged || !found) continue
          counts.refused += judged.refused.size
          counts.found += found.length
          counts.hits.set(field, (counts.hits.get(field) ?? 0) + judged.refused.size)
          const wrong = found.filter((key) => judged.refused.has(String(key)))
          expect({ wrong, filter, negationMatchesNull }).toEqual({ wrong: [], filter, negationMatchesNull })
        }
    }
    const engine = createEngine({ db, schema: hostile(isSqlite) })
    const fields = Object.keys(columns(isSqlite))
    for (const field of fields)
      for (const second of ['id', '-id', ...random.many(2, 2, () => `-${random.one(fields)}`)])
        for (const sort of [
          [field, second],
          [`-${field}`, second],
        ]) {
          const { wrong, known } = await compareInOrder(engine, 'hostile', sort)
          expect({ sort, wrong, isKnown: known > 0 }).toEqual({
            sort,
            wrong: 0,
            isKnown: !unordered.has(field),
          })
        }
    expect(counts.found).toBeGreaterThan(1_000)
    for (const field of Object.keys(columns(isSqlite)))
      if (!unjudged.has(field)) expect(counts.hits.get(field) ?? 0, field).toBeGreaterThan(0)
    for (const field of unjudged) expect(counts.hits.get(field) ?? 0, field).toBe(0)
    await run('drop table hostile')
  })
})

const trials = drawsOf('conditions judged in memory')

const refusal = (error: unknown): undefined => {
  if (isEngineError(error) && error.code === 'INVALID_QUERY') return undefined
  throw error
}

/** Columns whose texts compare by something else than their bytes. */
const unjudged = new Set(['nocase', 'trimmed', 'plain_number'])

/** Columns whose values have an order that only the database knows. */
const unordered = new Set([...unjudged, 'text'])

/** Fields, their types, and the types of their columns. */
const columns = (isSqlite: boolean): Readonly<Record<string, readonly [type: string, column: string]>> => ({
  text: ['string', 'text'],
  nocase: ['string', isSqlite ? 'text collate nocase' : 'text collate "hostile_nocase"'],
  trimmed: ['string', isSqlite ? 'text collate rtrim' : 'char(6)'],
  number: ['integer', 'integer'],
  big: ['bigInteger', 'bigint'],
  flag: ['boolean', 'boolean'],
  name: ['uuid', isSqlite ? 'text' : 'uuid'],
  day: ['date', isSqlite ? 'text' : 'date'],
  clock: ['time', isSqlite ? 'text' : 'time'],
  local: ['dateTime', isSqlite ? 'text' : 'timestamp'],
  moment: ['timestamp', isSqlite ? 'text' : 'timestamptz'],
  plain_number: ['float', isSqlite ? 'real' : 'double precision'],
})

const hostile = (isSqlite: boolean): Schema =>
  defineSchema<SchemaDefinition>({
    hostile: {
      fields: {
        id: { type: 'integer', key: true },
        ...Object.fromEntries(
          Object.entries(columns(isSqlite)).map(([field, [type]]) => [field, { type, nullable: true }]),
        ),
      },
    },
  } as SchemaDefinition)

const texts = [
  '',
  'a',
  'A',
  'a ',
  ' a',
  'é',
  'e\u0301',
  'É',
  'ß',
  'ss',
  'SS',
  'İ',
  'i',
  'I',
  'ı',
  'K',
  'k',
  '1',
  '01',
  '%',
  '_',
  '\\',
  "'",
  '"',
  'null',
  'Å',
  '\u{1F600}',
  '\uFFFD',
  '\uFFFE',
  'aa',
  'aA',
  'true',
  '\n',
  '10',
  '9',
  '$NOW ',
  'ſ',
  'Ǆ',
]
const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
]
const moments = [
  '2024-02-29',
  '2024-02-29T00:00:00',
  '2024-02-29T00:00:00.000Z',
  '2024-02-29T12:34:56.123Z',
  '2024-02-29T12:34:56.124Z',
  '2024-02-29T23:59:59.999Z',
  '0001-01-01',
  '9999-12-31',
  '1969-12-31T23:59:59.999Z',
  '2024-03-01T01:00:00+02:00',
  '12:34:56',
  '00:00:00',
  '23:59:59',
]
const integers = [
  0,
  1,
  -1,
  2,
  2147483647,
  -2147483648,
  9007199254740991,
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  1.5,
]

const quoted = (value: unknown) => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`)

/** Rows of SQLite hold anything; those of PostgreSQL what only it has. */
const odd = (isSqlite: boolean): Readonly<Record<string, readonly string[]>> =>
  isSqlite
    ? {
        text: ["x'61'", "x'c3'", '5', "'a' || char(0) || 'b'", 'char(0)'],
        nocase: ["x'41'"],
        number: ["'abc'", '1.5', "x'01'", "''"],
        big: ["'abc'", '1e300', "x'31'"],
        flag: ['2', "'x'", "x'01'", '-1', "''"],
        name: ["'zzz'", "x'00'", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "''"],
        day: ["'nodate'", '12', "'2024-02-30'", "'2024-02-29 10:00:00'", "x'32'", "''", "'2024-2-9'"],
        clock: ["'25:00'", "'12:34'", "'12:34:56.9'", '5', "'noon'"],
        local: ["'2024-02-29 12:34:56'", "'garbage'", '1709210096', "'2024-02-29T12:34:56.999'"],
        moment: [
          "'2024-02-29 12:34:56'",
          "'2024-02-29T12:34:56.123456Z'",
          "'2024-02-29T14:34:56.123+02:00'",
          "'now'",
          '5',
          "''",
        ],
      }
    : {
        day: ["'infinity'", "'-infinity'", "'0044-03-15 BC'"],
        clock: ["'24:00:00'", "'12:34:56.999999'"],
        local: ["'2024-02-29 12:34:56.5'", "'infinity'", "'294276-01-01'"],
        moment: [
          "'2024-02-29T12:34:56.123456Z'",
          "'-infinity'",
          "'2024-02-29T12:34:56.1239Z'",
          "'0044-03-15 BC'",
        ],
      }

const valuesOf: Readonly<Record<string, readonly unknown[]>> = {
  string: texts,
  integer: integers.slice(0, 6),
  bigInteger: integers.slice(0, 10),
  boolean: [true, false],
  uuid: uuids,
  date: moments.slice(0, 1).concat(['0001-01-01', '9999-12-31']),
  time: ['12:34:56', '00:00:00', '23:59:59'],
  dateTime: ['2024-02-29T00:00:00', '2024-02-29T12:34:56'],
  timestamp: moments.slice(2, 6),
  float: [0, 1.5, -1],
}

function tables(isSqlite: boolean): readonly string[] {
  const all = Object.entries(columns(isSqlite))
  const rows = all.flatMap(([field, [type]]) => {
    const literals = [
      ...(valuesOf[type] ?? []).map((value) => (typeof value === 'string' ? quoted(value) : String(value))),
      ...(odd(isSqlite)[field] ?? []),
    ]
    return literals.map((literal) => `insert into hostile (${field}) values (${literal})`)
  })
  const key = isSqlite ? 'integer primary key' : 'serial primary key'
  return [
    ...(isSqlite
      ? []
      : [
          `create collation if not exists hostile_nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
        ]),
    `create table hostile (id ${key}, ${all.map(([field, [, column]]) => `${field} ${column}`).join(', ')})`,
    ...rows,
  ]
}

const comparing = ['_eq', '_neq', '_in', '_nin']
const wordsOf: Readonly<Record<string, readonly string[]>> = {
  string: [
    '_eq',
    '_neq',
    '_in',
    '_nin',
    '_contains',
    '_ncontains',
    '_icontains',
    '_nicontains',
    '_starts_with',
    '_nstarts_with',
    '_istarts_with',
    '_niends_with',
    '_ends_with',
    '_nends_with',
    '_iends_with',
    '_nistarts_with',
    '_lt',
    '_gte',
    '_empty',
  ],
  boolean: comparing,
  uuid: comparing,
}
const ordered = [
  '_eq',
  '_neq',
  '_lt',
  '_lte',
  '_gt',
  '_gte',
  '_between',
  '_nbetween',
  '_in',
  '_nin',
  '_empty',
  '_nempty',
]

function randomTest(random: Random, type: string, words: readonly string[]): AnyFilter {
  const word = random.one([...words, '_null', '_nnull'])
  const operands =
    type === 'string'
      ? texts
      : type === 'uuid'
        ? uuids
        : type === 'boolean'
          ? [true, false]
          : [...(valuesOf[type] ?? []), ...(type.endsWith('nteger') || type === 'float' ? integers : moments)]
  if (word.endsWith('null') || word.endsWith('empty')) return { [word]: random.chance(0.7) }
  if (word === '_in' || word === '_nin') return { [word]: random.many(0, 3, () => random.one(operands)) }
  if (word.endsWith('between')) return { [word]: [random.one(operands), random.one(operands)] }
  return { [word]: random.one(operands) }
}
