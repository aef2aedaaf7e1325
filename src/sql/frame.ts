// A FROM of a statement: its collection, its alias, and its joins.
import type { Dialect } from '../dialects/dialect.ts'
import type { Column } from '../dialects/phrase-types.ts'
import { type ReliedColumns, type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors/errors.ts'
import {
  type Collection,
  keyFieldsOf,
  type ManyToOne,
  partsOf,
  referencedFields,
  type StoredField,
} from '../schema/model.ts'
import { memoFor } from '../values/memo.ts'
import type { Zone } from '../values/zone.ts'

/** Settings of a statement besides its plan. */
export interface Setting {
  readonly dialect: Dialect
  readonly zone: Zone
  readonly byCodePoint: boolean
  readonly negationMatchesNull: boolean
  /** The SQL that replaces a collection's table for a caller with restricted access. */
  readonly rowsOf?: ((frame: Frame) => Sql | undefined) | undefined
  /** Called for a field whose column holds what results cannot show: bytes that are no valid text, or numbers that are no booleans. */
  readonly onLoss?: ((field: StoredField) => void) | undefined
}

export interface Frame {
  readonly collection: Collection
  readonly alias: Sql
  /** The columns written so far. */
  readonly columns: Map<string, Sql>
  readonly setting: Setting
  /** The generator of unique aliases of the statement. */
  readonly aliases: Aliases
  /** The joins; undefined if the FROM is not ours, as in a host's own query. */
  readonly joins: Joins | undefined
  /** True if its columns come out of a subselect. */
  readonly isDerived: boolean
  /** True behind an outer join, where there may be no row. */
  readonly isOptional: boolean
  /** True if the statement looks at many rows. */
  readonly isOfMany?: boolean
  /** The frame of the parent item, where a condition on its children may refer to it. */
  readonly owner?: Frame | undefined
}

/** Generated aliases. They must not shadow the host's, so they start with a prefix that its alias does not
 *  have. SQLite ignores case in aliases, quoted or not. */
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

/** SQLite joins at most 64 tables; half of that leaves room for everything else in the statement. */
const maxJoins = 32

/** The outer joins of a FROM. */
export class Joins {
  readonly #texts: Sql[] = []
  readonly #known: { readonly from: Sql; readonly field: ManyToOne; readonly frame: Frame }[] = []
  /** True if they are joined to few rows, so that a lookup per row is best. */
  readonly #isToFew: boolean

  constructor(isToFew: boolean) {
    this.#isToFew = isToFew
  }

  /** Joins the target of a many-to-one field. The same relation from the same row is joined once. Returns
   *  undefined if there is no room. */
  to(frame: Frame, field: ManyToOne): Frame | undefined {
    const known = this.#known.find((join) => join.from === frame.alias && join.field === field)
    if (known) return known.frame
    const target = this.add(frame, field.target, (to) => refersTo(field, frame, to))
    if (target) this.#known.push({ from: frame.alias, field, frame: target })
    return target
  }

  /** Joins a collection of which at most one row matches. Returns undefined if there is no room. */
  add(frame: Frame, collection: Collection, on: (target: Frame) => Sql): Frame | undefined {
    if (this.#texts.length >= maxJoins) return undefined
    const alias = frame.aliases.next()
    const target: Frame = {
      ...frame,
      collection,
      alias,
      columns: new Map(),
      isDerived: false,
      isOptional: true,
    }
    // Reserved first, so that joins added by the condition come behind it.
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

/** A frame of a subselect inside another statement. */
export function innerFrame(outer: Frame, collection: Collection): Frame & { readonly joins: Joins } {
  const alias = outer.aliases.next()
  const own = { columns: new Map(), joins: new Joins(false), isDerived: false, isOptional: false }
  return { ...outer, collection, alias, ...own }
}

/** A frame of the rows of a subselect, under the names of the collection's columns. */
export function derivedFrame(table: Frame, hasFewRows: boolean): Frame & { readonly joins: Joins } {
  const alias = table.aliases.next()
  return { ...table, alias, columns: new Map(), joins: new Joins(hasFewRows), isDerived: true }
}

/** The table of a frame: `"articles" as "_q1"`. Every read of a collection's table goes through here. */
export function tableOf(frame: Frame): Sql {
  const { collection, alias, setting } = frame
  if (collection.isSeen && !setting.rowsOf)
    throw unreachable('what is seen of a collection, read without its rules')
  return setting.rowsOf?.(frame) ?? sql`${tableName(collection, setting.dialect)} as ${alias}`
}

/** The name of a column that a caller sees on some rows only, on all of them: for conditions of the host. */
export const wholeName = (position: number): string => `_quernel_whole_${position}`

/** `"public"."articles"` */
export function tableName({ table, dbSchema }: Collection, dialect: Dialect): Sql {
  const name = dialect.identifier(table)
  return dbSchema === undefined ? name : sql`${dialect.identifier(dbSchema)}.${name}`
}

/** The table and the column that hold the values of a field. */
export const homeOf = (
  { collection, column }: StoredField,
  dialect: Dialect,
): NonNullable<Column['home']> => ({
  table: tableName(collection, dialect),
  column: dialect.identifier(column),
})

/** A column of a frame. Large filters name the same column many times, so its SQL is cached. */
export function columnOf({ alias, columns, setting: { dialect }, isDerived }: Frame, column: string): Sql {
  const known = columns.get(column)
  if (known) return known
  const name = isDerived ? (dialect.nameOutside?.(column) ?? column) : column
  const written = sql`${alias}.${dialect.identifier(name)}`
  columns.set(column, written)
  return written
}

/** The columns of the key; none without a key. */
export const keyColumns = (frame: Frame): readonly Sql[] => columnsOf(keyFieldsOf(frame.collection), frame)

/** The first column of the key, which is null where an outer join finds no row. */
export function keyOf(frame: Frame): Sql {
  const [first] = keyFieldsOf(frame.collection)
  if (!first) throw unreachable(`a key of "${frame.collection.name}", which has none`)
  return columnOf(frame, first.column)
}

/** The condition that two lists of columns are equal, one by one. */
export const areEqual = (some: readonly Sql[], others: readonly Sql[]): Sql =>
  sql.join(
    some.map((one, index) => sql`${one} = ${others[index] ?? one}`),
    sql` and `,
  )

/** The condition that a many-to-one field refers to a row of its target. */
export const refersTo = (field: ManyToOne, from: Frame, target: Frame): Sql =>
  areEqual(referencedColumns(field, target), columnsOf(partsOf(field), from))

/** The columns of a target that a relation joins on. By others than the key, rows are joined only where the database keeps them unique. */
export function referencedColumns(field: ManyToOne, target: Frame): readonly Sql[] {
  const [first, ...others] = columnsOf(referencedFields(field), target)
  if (!first || !field.references) return keyColumns(target)
  return [sql`${first}${sql.relying(reliedOn(field))}`, ...others]
}

const relied = new WeakMap<ManyToOne, ReliedColumns>()

const reliedOn = (field: ManyToOne): ReliedColumns =>
  memoFor(relied, field, () => {
    const { name, collection, target } = field
    const fields = referencedFields(field)
    return {
      table: fields[0]?.collection ?? target,
      columns: fields.map(({ column }) => column),
      relation: `"${name}" of "${collection.name}"`,
    }
  })

export const columnsOf = (fields: readonly StoredField[], frame: Frame): readonly Sql[] =>
  fields.map(({ column }) => columnOf(frame, column))
