// One FROM of a statement: the collection it reads, under which alias, and what was joined to it.
import type { Dialect, Slot } from '../dialects/dialect.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { type EngineError, fault, isEngineError, type Path } from '../errors.ts'
import type { Collection, ManyToOne } from '../schema/model.ts'
import type { Zone } from '../values/zone.ts'

/** What the SQL of one statement depends on besides its plan. */
export interface Setting {
  readonly dialect: Dialect
  readonly zone: Zone
  readonly byCodePoint: boolean
  readonly negationMatchesNull: boolean
}

export interface Frame {
  readonly collection: Collection
  readonly alias: Sql
  /** Its columns as they were written so far. */
  readonly columns: Map<string, Sql>
  readonly setting: Setting
  /** Gives each alias of the statement out once. */
  readonly aliases: Aliases
  /** Where joins go; undefined when the FROM is somebody else's, as in a host's own query. */
  readonly joins: Joins | undefined
  /** Reached by an outer join, so that there may be no row. */
  readonly isOptional: boolean
}

/** Generated aliases. They must not hide the host's, so they start with a prefix that its alias does not have. SQLite
 *  takes capitals for the same letters, quoted or not. */
export class Aliases {
  #count = 0
  readonly #dialect: Dialect
  readonly #prefix: string

  constructor(dialect: Dialect, taken: string) {
    this.#dialect = dialect
    this.#prefix = /^_q\d+$/i.test(taken) ? '_r' : '_q'
  }

  next(): Sql {
    this.#count++
    return this.#dialect.identifier(`${this.#prefix}${this.#count}`)
  }
}

interface Join {
  readonly from: Sql
  readonly field: ManyToOne
  readonly frame: Frame
  readonly text: Sql
}

/** SQLite joins at most 64 tables; half of that leaves room for everything else in the statement. */
const mostJoins = 32

/** The outer joins of one FROM. The same relation from the same row is joined once. */
export class Joins {
  readonly #made: Join[] = []

  /** Undefined when there is no room for one more. */
  to(frame: Frame, field: ManyToOne): Frame | undefined {
    const known = this.#made.find((join) => join.from === frame.alias && join.field === field)
    if (known) return known.frame
    if (this.#made.length >= mostJoins) return undefined
    const target: Frame = {
      ...frame,
      collection: field.target,
      alias: frame.aliases.next(),
      columns: new Map(),
      isOptional: true,
    }
    const text = sql` left join ${tableOf(target)} on ${keyOf(target)} = ${columnOf(frame, field.column)}`
    this.#made.push({ from: frame.alias, field, frame: target, text })
    return target
  }

  get text(): Sql {
    return sql.join(
      this.#made.map((join) => join.text),
      sql``,
    )
  }
}

/** A FROM of our own, inside the statement of another. */
export function innerFrame(outer: Frame, collection: Collection): Frame & { readonly joins: Joins } {
  const alias = outer.aliases.next()
  return { ...outer, collection, alias, columns: new Map(), joins: new Joins(), isOptional: false }
}

/** `"articles" as "_q1"` */
export function tableOf({ collection, alias, setting: { dialect } }: Frame): Sql {
  const table = dialect.identifier(collection.table)
  const name =
    collection.dbSchema === undefined ? table : sql`${dialect.identifier(collection.dbSchema)}.${table}`
  return sql`${name} as ${alias}`
}

/** The same column is named many times in a large filter, so it is written once. */
export function columnOf({ alias, columns, setting: { dialect } }: Frame, column: string): Sql {
  const known = columns.get(column)
  if (known) return known
  const written = sql`${alias}.${dialect.identifier(column)}`
  columns.set(column, written)
  return written
}

export const keyOf = (frame: Frame): Sql => columnOf(frame, frame.collection.key.column)

/** A bound value. A value that cannot be bound is the request's fault, and says where it stood. */
export function slotOf<Value>(value: Value, path: Path): Slot<Value> {
  return (encode) => {
    try {
      return sql.val(encode(value))
    } catch (error) {
      throw isEngineError(error) && !error.path ? located(error, path) : error
    }
  }
}

const located = (error: EngineError, path: Path) =>
  fault(error.code, error.message, { path, hint: error.hint })
