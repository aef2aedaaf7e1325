// New items as rows: an item's own one, and those of the new items in it, which the statements of their collections insert behind it.
import { holdersOf } from '../../plan/touches.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { needsValue } from '../../plan/write/defaults.ts'
import { isValidated } from '../../plan/write/validate-item.ts'
import {
  type Collection,
  isByValue,
  isTuple,
  keyFieldsOf,
  type LinkColumn,
  type StoredField,
  type ToMany,
} from '../../schema/model.ts'
import { referringOf } from '../../writes/authorize/references.ts'
import { areCounted } from '../../writes/context/row-template.ts'
import { hasHooksBefore } from '../../writes/context/single-statement.ts'
import { permissionsOf, type WriteContext } from '../../writes/context/write-context.ts'
import { templateOfNew } from '../../writes/insert/insert-by-statement.ts'
import { type RowObligations, tableOf } from '../../writes/obligations/row-obligations.ts'
import type { WrittenAround } from '../../writes/program/judged-row.ts'
import { templatesOfRows } from '../../writes/program/rows-together.ts'
import { isHeard } from '../../writes/stored/announce.ts'
import { knownToReplace } from '../../writes/stored/replaced-rows.ts'
import { hasTriggers, knownTriggers } from '../../writes/stored/side-effects.ts'
import { answerShape } from '../read/answer-shape.ts'
import type { ItemRow } from '../read/item-row.ts'
import { type ItemWithin, type NestedItem, partedItems } from './nested-items.ts'

export interface NewRows {
  readonly collection: Collection
  /** The items as they are requested. */
  readonly payloads: readonly ItemData[]
  /** The items without those in them. */
  readonly rows: readonly ItemData[]
  readonly around: WrittenAround
  readonly below: readonly ChildRows[]
}

type InsertTemplate = NonNullable<ReturnType<typeof templateOfNew>>

export interface ChildRows extends NewRows {
  readonly foreign: LinkColumn
  /** Positions of the items in which they are nested. */
  readonly parents: readonly number[]
  /** Columns that are returned of them. */
  readonly row: ItemRow
  /** The statement of each. */
  readonly templates: readonly InsertTemplate[]
  /** The field that numbers them behind their siblings. */
  readonly sort: StoredField | undefined
}

/** Returns the rows of new items; undefined if something else is nested in them. */
export function newRows(
  collection: Collection,
  items: readonly ItemWithin[],
  writing: WriteContext,
  foreign?: LinkColumn,
): NewRows | undefined {
  const { rows, nested } = partedItems(collection, items) ?? {}
  if (!rows || !nested || !areKeyedAlike(collection, rows)) return undefined
  const below: ChildRows[] = []
  for (const [relation, { made, named, removed }] of nested) {
    const children = named.length + removed.length > 0 ? undefined : childRows(relation, made, writing)
    if (!children) return undefined
    below.push(children)
  }
  const isCounted = foreign !== undefined && below.length === 0 && areCountedAlone(collection, rows, writing)
  const around = { nested: [...nested.keys()].map(({ name }) => name), owner: foreign?.name, isCounted }
  return { collection, payloads: items.map(({ payload }) => payload), rows, around, below }
}

/** True if nothing hangs on the keys of new rows, so that the database only has to report their number. */
const areCountedAlone = (
  collection: Collection,
  [first]: readonly ItemData[],
  writing: WriteContext,
): boolean =>
  areCounted(writing.engine.dialect) &&
  !collection.isVersioned &&
  !isHeard('create', collection, writing) &&
  !keyFieldsOf(collection).some(({ name }) => first && Object.hasOwn(first, name)) &&
  knownToReplace(collection, writing) === false

/** True if all items have a key of their own, or none has: what the database counts up goes on behind a given one. */
export const areKeyedAlike = (collection: Collection, [first, ...others]: readonly ItemData[]): boolean =>
  keyFieldsOf(collection).every(({ name }) => {
    const isGiven = first !== undefined && Object.hasOwn(first, name)
    return others.every((row) => Object.hasOwn(row, name) === isGiven)
  })

/** Returns the new rows of a relation; undefined if its statements alone cannot insert them. */
export function childRows(
  { target, foreign, sort, within }: ToMany,
  items: readonly NestedItem[],
  writing: WriteContext,
): ChildRows | undefined {
  const { caller } = writing
  if (isTuple(foreign) || isByValue(foreign) || foreign.isKey || within || !target.key) return undefined
  const isNumbered = sort?.value.family === 'integer'
  if (isNumbered && !isLeftOut(sort, target, items, writing)) return undefined
  // With it, the item around completes other references.
  if (referringOf(target).some((one) => one !== foreign && holdersOf(one).includes(foreign))) return undefined
  if (caller.isReadonly(target) || permissionsOf(writing)?.seen.apart.has(target)) return undefined
  if (hasHooksBefore(caller, 'items.create', target)) return undefined
  const found = newRows(target, items, writing, foreign)
  const fields = keyFieldsOf(target).map(({ name }) => name)
  // A statement reads the key as the caller does, who may not see it.
  const shown = caller.schema.collections.get(target.name)
  if (!fields.every((name) => shown?.fields.has(name))) return undefined
  const row = found && answerShape(caller, target.name, { query: { fields } })?.keyRow(caller)
  if (!row) return undefined
  const parents = items.map(({ parent }) => parent)
  const placed = { ...found, foreign, row, parents, sort: isNumbered ? sort : undefined, templates: [] }
  const children = numbered(placed, [])
  const templates = templatesOfNew(children, row, writing)
  return templates && { ...children, templates }
}

/** Returns the statement of each new row; undefined if one of them takes more. */
export const templatesOfNew = (
  { collection, rows, around }: Pick<NewRows, 'collection' | 'rows' | 'around'>,
  row: ItemRow,
  writing: WriteContext,
): readonly InsertTemplate[] | undefined =>
  templatesOfRows(collection, rows, (one) => {
    const { owner } = around
    const payload = owner === undefined ? one : { ...one, [owner]: 0 }
    return templateOfNew({ collection, payload, isOfMany: true, around }, row, writing)
  })

/** True if nothing but the order of new items decides on the field that numbers them. */
const isLeftOut = (
  sort: StoredField,
  target: Collection,
  items: readonly NestedItem[],
  writing: WriteContext,
): boolean =>
  !(permissionsOf(writing) || isValidated(target) || needsValue(sort)) &&
  sort.default === undefined &&
  sort.special.length === 0 &&
  items.every(({ payload }) => payload[sort.name] === undefined)

/** Returns new rows with their numbers. `last`: those of the last rows that are there, by the positions of the items around them. */
export function numbered(children: ChildRows, last: readonly bigint[]): ChildRows {
  const { sort, rows, parents } = children
  if (!sort) return children
  const numbers = [...last]
  const placed = rows.map((row, at) => {
    const parent = parents[at] ?? -1
    const number = (numbers[parent] ?? 0n) + 1n
    numbers[parent] = number
    return { ...row, [sort.name]: number }
  })
  return { ...children, rows: placed }
}

export const withParents = (
  { rows, foreign, parents }: ChildRows,
  keys: readonly unknown[],
): readonly ItemData[] => rows.map((row, at) => ({ ...row, [foreign.name]: keys[parents[at] ?? -1] }))

/** Rows of a collection that a call writes, in one place of its order: what must hold for new ones, and for those that are there. */
interface WrittenLevel {
  readonly collection: Collection
  readonly made: readonly RowObligations[]
  readonly changed: readonly RowObligations[]
}

export const writtenLevels = ({
  collection,
  below,
  templates,
}: Pick<ChildRows, 'collection' | 'below' | 'templates'>): readonly WrittenLevel[] => [
  { collection, made: [...new Set(templates)].map(({ rules }) => rules), changed: [] },
  ...below.flatMap(writtenLevels),
]

/** True if statements alone may judge rows and those below them: each looks at none that is written behind it, or before it where they have to be as they
 *  were, and no trigger changes what is judged. */
export async function areJudgedAlone(
  levels: readonly WrittenLevel[],
  writing: WriteContext,
): Promise<boolean> {
  for (const { collection } of levels)
    if (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))) return false
  const tables = levels.map(({ collection }) => tableOf(collection))
  const isApart = ({ looksAt }: RowObligations, at: number, from: number) =>
    looksAt.before.every((table) => !tables.slice(0, from).includes(table)) &&
    [...looksAt.after, ...(at === 0 ? looksAt.shown : [])].every((table) => !tables.slice(at).includes(table))
  return levels.every(
    ({ made, changed }, at) =>
      made.every((one) => isApart(one, at, at)) && changed.every((one) => isApart(one, at, at + 1)),
  )
}
