// A written row, returned by the statement that writes it in the form of a list's item.

import type { Dialect } from '../../dialects/dialect.ts'
import { DeferredValue, render, type Sql, sql, withNumbers } from '../../dialects/sql.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import type { ComparedValue } from '../../plan/filter/predicate.ts'
import type { ListPlan, Member } from '../../plan/read/read-plan.ts'
import { type Collection, keyOf, type StoredField } from '../../schema/model.ts'
import { memoFor } from '../../values/memo.ts'
import { bytesOf, isLongValue } from '../answer-bytes.ts'
import { readingOf } from '../filter.ts'
import { Aliases, type Frame, type Setting } from '../frame.ts'
import { itemOf } from '../item-rows.ts'
import { rootFrame } from '../page/chosen-root.ts'
import type { ItemRecipe } from '../recipe.ts'
import { SelectList } from '../select-list.ts'
import { catalogState } from './row-values.ts'

export interface ReturnedColumns {
  /** The columns; the last one is true if what follows the statement may change what it returns. `isFollowed`: undefined if nothing changes the row. */
  readonly sql: (isFollowed: Sql | undefined) => Sql
  readonly recipe: ItemRecipe
  /** True if an item has nothing but its key. */
  readonly isKeyAlone: boolean
  /** True if rows of other tables are among it. */
  readonly hasLists: boolean
  readonly followedAt: number
  readonly longValues: number
  /** The bytes of such values, without those of some columns. Undefined if there are none. */
  readonly bytesBeside: (columns: ReadonlySet<string>) => Sql | undefined
}

/** Returns undefined if an item has more than its own columns, and lists that may stand beside them. */
export function returnedColumns(
  list: ListPlan,
  setting: Setting,
  mayReturn: (list: ListPlan) => boolean,
): ReturnedColumns | undefined {
  const { dialect } = setting
  const { collection, rows } = list
  if (rows.kind !== 'items') return undefined
  const lists = rows.members.flatMap((member) => (member.kind === 'many' ? [member.list] : []))
  if (!rows.members.every((member) => member.kind === 'many' || isOwn(member)) || !lists.every(mayReturn))
    return undefined
  const cells = new SelectList('column')
  const frame = writtenFrame(list, setting)
  // The key comes first, as in every result of a statement that writes.
  cells.value(readingOf(fieldSubject(keyOf(collection)), frame, []))
  const recipe = itemOf(rows.members, frame, cells, { probe: 0 })
  const { length: followedAt } = cells
  // Lists have no values but their limits. SQLite keeps a journal of a statement whose limit is bound, which takes longer than the statement.
  const columns = withNumbers(cells.columns(dialect))
  // A view may show the row itself.
  const views = lists.flatMap((one) => dialect.isView?.(one.collection) ?? [])
  const name = dialect.identifier(String(followedAt))
  const long = rows.members.filter(isLongValue)
  return {
    sql: (isFollowed) => {
      const doubts = isFollowed ? [isFollowed, ...views] : views
      const flag = doubts.length === 0 ? sql`0` : sql`(${sql.join(doubts, sql` or `)})`
      return sql`${columns}, ${flag} as ${name}`
    },
    recipe,
    hasLists: lists.length > 0,
    isKeyAlone: rows.members.every((member) => isKeyOf(member, collection)),
    followedAt,
    longValues: long.length,
    bytesBeside: (written) => {
      const others = long.filter(
        (member) => !(member.kind === 'value' && written.has(columnOf(member.subject) ?? '')),
      )
      return others.length === 0 ? undefined : bytesOf(others, frame)
    },
  }
}

const followed = new WeakMap<Dialect, WeakMap<Collection, ReturnType<typeof render>>>()

/** Queries whether triggers follow writes to a table. */
export const followedStatement = (collection: Collection, dialect: Dialect) =>
  memoFor(
    memoFor(followed, dialect, () => new WeakMap<Collection, ReturnType<typeof render>>()),
    collection,
    () => render(sql`select ${dialect.isFollowed(collection)} as ${dialect.identifier('0')}`, dialect),
  )

/** Queries whether a table is a view. Undefined if that is not known of any. */
export function viewStatement(collection: Collection, dialect: Dialect) {
  const isView = dialect.isView?.(collection)
  return isView && render(sql`select ${isView} as ${dialect.identifier('0')}`, dialect)
}

/** Queries whether a new row may have other values in some fields than are given. Undefined if it never has. */
export function alteredStatement(
  collection: Collection,
  fields: readonly StoredField[],
  dialect: Dialect,
): ReturnType<typeof render> | undefined {
  const columnsOf = (families: readonly string[]) =>
    fields.filter(({ value }) => families.includes(value.family)).map(({ column }) => column)
  const judged = { texts: columnsOf(['text']), numbers: columnsOf(['integer', 'boolean']) }
  const optional = fields.filter(isLeftNull).map(({ column }) => column)
  const isAltered = dialect.isAltered(collection, { ...judged, optional })
  return isAltered && render(sql`select ${isAltered} as ${dialect.identifier('0')}`, dialect)
}

/** Queries whether a row may take others of its table away. Undefined if it never does. */
export function replacingStatement(collection: Collection, dialect: Dialect) {
  const replaces = dialect.mayReplace?.(collection)
  return replaces && render(sql`select ${replaces} as ${dialect.identifier('0')}`, dialect)
}

/** Queries whether triggers or foreign keys follow an update of some columns. */
export function followedByUpdateStatement(
  collection: Collection,
  columns: readonly string[],
  dialect: Dialect,
) {
  const isFollowed = dialect.isFollowedByUpdate(collection, columns)
  return render(sql`select ${isFollowed} as ${dialect.identifier('0')}`, dialect)
}

/** The columns that an update of rows writes. */
export interface OrderedChange {
  readonly columns: readonly string[]
  /** True if all get the same values. */
  readonly isAlike?: boolean
}

/** Queries whether it can be seen in which order some columns of rows are updated, and in which state of the catalogue that is so. Undefined if it is not
 *  known of any. */
export function orderStatement(
  collection: Collection,
  { columns, isAlike }: OrderedChange,
  dialect: Dialect,
) {
  const isSeen = dialect.isOrderSeen?.(collection, columns, isAlike)
  const state = dialect.catalogState?.(collection)
  const also = state ? sql`, ${state} as ${dialect.identifier('1')}` : sql``
  return isSeen && render(sql`select ${isSeen} as ${dialect.identifier('0')}${also}`, dialect)
}

/** A condition under which an update of some columns writes nothing: it can be seen in which order it writes rows, or the catalogue is in another state than
 *  was asked. Undefined if it is not known of any. */
export function orderGuard(
  collection: Collection,
  { columns, isAlike }: OrderedChange,
  dialect: Dialect,
): Sql | undefined {
  const state = dialect.isOrderSeen && dialect.catalogState?.(collection)
  return state ? sql`(${state} <> ${knownState})` : dialect.isOrderSeen?.(collection, columns, isAlike)
}

const knownState = sql.val(new DeferredValue(catalogState, null, (known) => known))

/** True if a field is null in new rows that leave it out, according to the schema. */
const isLeftNull = ({ isNullable, isDefaulted, default: value }: StoredField): boolean =>
  isNullable && !isDefaulted && value === undefined

const columnOf = (subject: ComparedValue): string | undefined =>
  subject.kind === 'field' ? subject.field.column : undefined

const isOwn = (member: Member): boolean =>
  member.kind === 'value' && (member.subject.kind === 'field' || member.subject.kind === 'tuple')

const isKeyOf = (member: Member, { key }: Collection): boolean =>
  member.kind === 'value' && member.subject.kind === 'field' && member.subject.field === key

/** The written row, under the name of its table. */
function writtenFrame(list: ListPlan, setting: Setting): Frame {
  const alias = setting.dialect.identifier(list.collection.table)
  return {
    ...rootFrame(list, setting),
    alias,
    aliases: new Aliases(setting.dialect, list.collection.table),
    joins: undefined,
  }
}
