// SQL functions that plain SQLite lacks: geometry, exact decimals, time zones by name.
import { compareDecimals, type Decimal, decimalText, readDecimal } from '../../values/decimal.ts'
import { type Geometry, readGeometry, sameGeometry } from '../../values/geometry.ts'
import { boundsIntersect, intersects } from '../../values/geometry-intersects.ts'
import { clockIn, readZone } from '../../values/zone.ts'
import { functions, isFunction } from '../../vocabulary/functions.ts'

/** The part of a better-sqlite3 database that is used here. */
export interface Sqlite3Database {
  prepare(sql: string): Sqlite3Statement
  close(): unknown
  readonly inTransaction?: boolean | undefined
  /** True for a database in memory. */
  readonly memory?: boolean | undefined
  function(
    name: string,
    options: { readonly deterministic: boolean },
    body: (...values: never[]) => unknown,
  ): unknown
  aggregate(name: string, options: ExactAggregate): unknown
}

/** The part of a better-sqlite3 statement that is used here. */
export interface Sqlite3Statement {
  readonly reader: boolean
  readonly busy: boolean
  /** Switches rows to arrays. */
  raw(isRaw: boolean): Sqlite3Statement
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
}

type Total = Decimal | null

interface ExactAggregate {
  readonly start: () => Total
  readonly step: (total: Total, value: unknown) => Total
  readonly result: (total: Total) => string | null
}

/** Adds the functions that the dialect of `quernel/sqlite` calls to a connection. */
export function addFunctions(database: Sqlite3Database): void {
  for (const [name, body] of Object.entries(scalars)) database.function(name, { deterministic: true }, body)
  for (const [name, body] of Object.entries(aggregates)) database.aggregate(name, body)
}

const scalars = {
  quernel_same: spatial(sameGeometry),
  quernel_intersects: spatial(intersects),
  quernel_bounds_intersect: spatial(boundsIntersect),
  quernel_decimal: (value: unknown) => {
    const decimal = readDecimal(value)
    return decimal ? decimalText(decimal) : null
  },
  quernel_compare: (left: unknown, right: unknown) => {
    const [one, other] = [readDecimal(left), readDecimal(right)]
    return one && other ? compareDecimals(one, other) : null
  },
  quernel_part: (part: string, seconds: number | bigint | null, zone: string) => {
    const read = readZone(zone)
    const row = isFunction(part) ? functions[part] : undefined
    if (seconds === null || !read || !row || !('part' in row)) return null
    return row.part(clockIn(read, Number(seconds) * 1_000))
  },
} as const

function spatial(holds: (left: Geometry, right: Geometry) => boolean) {
  const read = remembering(readText)
  return (stored: unknown, requested: unknown): number | null => {
    const [left, right] = [readText(stored), read(requested)]
    return left && right ? Number(holds(left, right)) : null
  }
}

function readText(text: unknown): Geometry | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return readGeometry(JSON.parse(text))
  } catch {
    // Stored text that is no JSON is no geometry.
    return undefined
  }
}

/** Caches the last operand: it is the same for every row of a statement, and parsed once. */
function remembering<Answer>(ask: (input: unknown) => Answer): (input: unknown) => Answer {
  let last: { readonly input: unknown; readonly answer: Answer } | undefined
  return (input) => {
    if (last !== undefined && last.input === input) return last.answer
    const answer = ask(input)
    last = { input, answer }
    return answer
  }
}

/** Aggregates decimals exactly, without bounds, as text; null without values. */
const exactly = (join: (total: Decimal, value: Decimal) => Decimal): ExactAggregate => ({
  start: () => null,
  step: (total, value) => {
    const decimal = readDecimal(value)
    return decimal && total ? join(total, decimal) : (decimal ?? total)
  },
  result: (total) => (total ? decimalText(total) : null),
})

const aggregates = {
  quernel_sum: exactly(add),
  quernel_min: exactly((one, other) => (compareDecimals(one, other) <= 0 ? one : other)),
  quernel_max: exactly((one, other) => (compareDecimals(one, other) >= 0 ? one : other)),
} as const

function add(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  const widen = ({ digits, scale: own }: Decimal) => digits * 10n ** BigInt(scale - own)
  return { digits: widen(left) + widen(right), scale }
}
