// One FROM of a statement: the collection it reads, under which alias, and what was joined to it.
import type { Dialect } from '../dialects/dialect.ts'
import type { Slot } from '../dialects/phrase-types.ts'
import { Late, type Sql, sql } from '../dialects/sql.ts'
import { fault, isEngineError, type Path, unreachable } from '../errors/errors.ts'
import type { Collection, ManyToOne, StoredField } from '../schema/model.ts'
import type { Zone } from '../values/zone.ts'

/** What the SQL of one statement depends on besides its plan. */
export interface Setting {
  readonly dialect: Dialect
  readonly zone: Zone
  readonly byCodePoint: boolean
  readonly negationMatchesNull: boolean
  /** What is read in the place of a collection's table, where somebody sees less than there is. */
  readonly rowsOf?: ((frame: Frame) => Sql | undefined) | undefined
  /** Hears of a field of text whose column holds bytes that spell none. */
  readonly onLoss?: ((field: StoredField) => void) | undefined
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
  /** Its columns come out of a subselect. */
  readonly isDerived: boolean
  /** Reached by an outer join, so that there may be no row. */
  readonly isOptional: boolean
  /** The frame of the item whose children are read here, where a condition on them may look back at it. */
  readonly owner?: Frame | undefined
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
}

/** SQLite joins at most 64 tables; half of that leaves room for everything else in the statement. */
const mostJoins = 32

/** The outer joins of one FROM. */
export class Joins {
  readonly #texts: Sql[] = []
  readonly #known: Join[] = []
  /** They are joined to few rows, each of which looks its own up. */
  readonly #isToFew: boolean

  constructor(isToFew: boolean) {
    this.#isToFew = isToFew
  }

  /** The target of a many-to-one field. The same relation from the same row is joined once. Undefined when there is no room. */
  to(frame: Frame, field: ManyToOne): Frame | undefined {
    const known = this.#known.find((join) => join.from === frame.alias && join.field === field)
    if (known) return known.frame
    const tie = (target: Frame) => sql`${keyOf(target)} = ${columnOf(frame, field.column)}`
    const target = this.add(frame, field.target, tie)
    if (target) this.#known.push({ from: frame.alias, field, frame: target })
    return target
  }

  /** One more row at most, on a condition of its own. Undefined when there is no room. */
  add(frame: Frame, collection: Collection, on: (target: Frame) => Sql): Frame | undefined {
    if (this.#texts.length >= mostJoins) return undefined
    const alias = frame.aliases.next()
    const target: Frame = {
      ...frame,
      collection,
      alias,
      columns: new Map(),
      isDerived: false,
      isOptional: true,
    }
    // Filled in at once, so that joins which the condition may bring come behind it.
    const position = this.#texts.push(sql``) - 1
    this.#texts[position] = this.#write(target, on(target))
    return target
  }

  #write(target: Frame, on: Sql): Sql {
    const table = tableOf(target)
    const { dialect } = target.setting
    const each = this.#isToFew ? dialect.joinEach?.(table, target.alias, on) : undefined
    return each ?? sql` left join ${table} on ${on}`
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0
  }

  get text(): Sql {
    return sql.join(this.#texts, sql``)
  }
}

/** A FROM of our own, inside the statement of another. */
export function innerFrame(outer: Frame, collection: Collection): Frame & { readonly joins: Joins } {
  const alias = outer.aliases.next()
  const own = { columns: new Map(), joins: new Joins(false), isDerived: false, isOptional: false }
  return { ...outer, collection, alias, ...own }
}

/** The rows that a FROM in brackets brings, under the names of the collection's columns. */
export function derivedFrame(table: Frame, hasFewRows: boolean): Frame & { readonly joins: Joins } {
  const alias = table.aliases.next()
  return { ...table, alias, columns: new Map(), joins: new Joins(hasFewRows), isDerived: true }
}

/** `"articles" as "_q1"`: what is read of a collection. Nothing reads its table in any other way. */
export function tableOf(frame: Frame): Sql {
  const { collection, alias, setting } = frame
  if (collection.isSeen && !setting.rowsOf)
    throw unreachable('what is seen of a collection, read without its rules')
  return setting.rowsOf?.(frame) ?? sql`${tableName(collection, setting.dialect)} as ${alias}`
}

/** `"public"."articles"` */
export function tableName({ table, dbSchema }: Collection, dialect: Dialect): Sql {
  const name = dialect.identifier(table)
  return dbSchema === undefined ? name : sql`${dialect.identifier(dbSchema)}.${name}`
}

/** The same column is named many times in a large filter, so it is written once. */
export function columnOf({ alias, columns, setting: { dialect }, isDerived }: Frame, column: string): Sql {
  const known = columns.get(column)
  if (known) return known
  const name = isDerived ? (dialect.nameOutside?.(column) ?? column) : column
  const written = sql`${alias}.${dialect.identifier(name)}`
  columns.set(column, written)
  return written
}

export const keyOf = (frame: Frame): Sql => columnOf(frame, frame.collection.key.column)

/** A bound value: what `pick` takes from the answer to a question. A value that cannot be bound is the request's fault, and
 *  says where it stood. */
export function slotOf<Answer, Value>(
  question: object,
  answer: Answer,
  pick: (answer: Answer) => Value,
  path: Path,
): Slot<Value> {
  return (encode) =>
    sql.val(new Late(question, answer, (given) => located(() => encode(pick(given as Answer)), path)))
}

/** A bound value that belongs to the shape. */
export function constantOf<Value>(value: Value, path: Path): Slot<Value> {
  return (encode) => sql.val(located(() => encode(value), path))
}

function located(bind: () => unknown, path: Path): unknown {
  try {
    return bind()
  } catch (error) {
    throw isEngineError(error) && !error.path
      ? fault(error.code, error.message, { path, hint: error.hint })
      : error
  }
}
