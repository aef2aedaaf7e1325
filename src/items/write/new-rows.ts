// New items as rows: an item's own one, and those of the new items in it, which the statements of their collections insert behind it.
import { Problems } from '../../errors/problems.ts'
import { type ItemData, readChanges } from '../../plan/write/changes.ts'
import { endlessMistake, type Nest } from '../../plan/write/nested-item.ts'
import { isNamed } from '../../plan/write/row-layout.ts'
import {
  type Collection,
  type Field,
  isByValue,
  isToMany,
  isTuple,
  keyFieldsOf,
  type LinkColumn,
  type ToMany,
} from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { emptyReferences } from '../../writes/authorize/references.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { type NewRow, templateOfNew, type WrittenAround } from '../../writes/insert/insert-by-statement.ts'
import { hasTriggers, knownTriggers } from '../../writes/update/side-effects.ts'
import { hasHooksBefore } from '../../writes/update/single-statement.ts'
import { permissionsOf, type WriteContext } from '../../writes/write-context.ts'
import { answerShape } from '../read/answer-shape.ts'
import type { ItemRow } from '../read/item-row.ts'

/** New rows of one collection, with those below them. */
export interface NewRows {
  readonly collection: Collection
  /** The items as they are requested. */
  readonly intents: readonly Intent[]
  /** The items without those in them. */
  readonly rows: readonly Intent[]
  readonly around: WrittenAround
  readonly below: readonly ChildRows[]
}

/** Rows of a relation. */
export interface ChildRows extends NewRows {
  readonly foreign: LinkColumn
  /** Positions of the items in which they are nested. */
  readonly parents: readonly number[]
  /** Columns that are returned of them. */
  readonly row: ItemRow
}

/** Returns the rows of new items; undefined if something else is nested in them. */
export function newRows(
  collection: Collection,
  intents: readonly Intent[],
  writing: WriteContext,
  foreign?: LinkColumn,
): NewRows | undefined {
  const nested = new Map<ToMany, NestedItem[]>()
  const rows: Intent[] = []
  for (const [at, intent] of intents.entries()) {
    const row = withoutNested(at, intent, collection, nested)
    if (!row) return undefined
    rows.push(row)
  }
  if (!areKeyedAlike(collection, rows)) return undefined
  const below: ChildRows[] = []
  for (const [relation, items] of nested) {
    const children = childRows(relation, items, writing)
    if (!children) return undefined
    below.push(children)
  }
  const around = { nested: [...nested.keys()].map(({ name }) => name), owner: foreign?.name }
  return { collection, intents, rows, around, below }
}

/** True if all items have a key of their own, or none has: what the database counts up goes on behind a given one. */
export const areKeyedAlike = (collection: Collection, [first, ...others]: readonly Intent[]): boolean =>
  keyFieldsOf(collection).every(({ name }) => {
    const isGiven = first !== undefined && Object.hasOwn(first.payload, name)
    return others.every(({ payload }) => Object.hasOwn(payload, name) === isGiven)
  })

/** A new item in another one. */
interface NestedItem {
  /** Position of the other one. */
  readonly parent: number
  readonly intent: Intent
}

const isOwnReference = (field: Field): boolean => field.kind === 'm2o' || field.kind === 'any'

/** Returns an item without those in it, which are added to the others of their relation; undefined if one of them is not sure to be new. */
function withoutNested(
  parent: number,
  intent: Intent,
  collection: Collection,
  nested: Map<ToMany, NestedItem[]>,
): Intent | undefined {
  const { payload, path, within } = intent
  const relations: ToMany[] = []
  // As in JSON, an undefined value is absent.
  let isBare = true
  for (const name of Object.keys(payload)) {
    const { [name]: value } = payload
    const field = collection.fields.get(name)
    if (value === undefined) isBare = false
    // A new target is written before the item that refers to it.
    if (field && isOwnReference(field) && isRecord(value)) return undefined
    if (field && isToMany(field) && value !== undefined) relations.push(field)
  }
  if (relations.length === 0 && isBare) return intent
  if (endlessMistake(payload, within, path)) return undefined
  const nest: Nest = { payload, depth: (within?.depth ?? 0) + 1, outer: within }
  for (const relation of relations) {
    const children = newChildren(relation, intent, nest)
    if (!children) return undefined
    const items = nested.get(relation) ?? []
    nested.set(relation, items)
    for (const child of children) items.push({ parent, intent: child })
  }
  const names = new Set(relations.map(({ name }) => name))
  const own = Object.entries(payload).filter(([name, value]) => value !== undefined && !names.has(name))
  return { ...intent, payload: Object.fromEntries(own) }
}

function newChildren(
  relation: ToMany,
  { payload, path }: Intent,
  within: Nest,
): readonly Intent[] | undefined {
  const { name, target, foreign } = relation
  if (relation.within) return undefined
  const problems = new Problems('INVALID_PAYLOAD')
  const changes = readChanges(payload[name], relation, [...path, name], problems)
  if (!changes || !problems.isEmpty || changes.removed.length > 0) return undefined
  const key = keyFieldsOf(target)
  const found: Intent[] = []
  for (const child of changes.children) {
    if (child.kind !== 'item' || child.action === 'update') return undefined
    const { payload: data, path: at } = child
    // An item with a key may be there already, and the foreign key is decided by the nesting.
    const isSaid = child.action === 'either' && key.every((field) => data[field.name] !== undefined)
    if (isSaid || data[foreign.name] !== undefined) return undefined
    found.push({ payload: data, path: at, action: 'create', within })
  }
  return found
}

function childRows(
  { target, foreign, sort }: ToMany,
  items: readonly NestedItem[],
  writing: WriteContext,
): ChildRows | undefined {
  const { caller } = writing
  if (isTuple(foreign) || isByValue(foreign) || foreign.isKey || sort || !target.key) return undefined
  if (caller.isReadonly(target) || permissionsOf(writing)?.seen.apart.has(target)) return undefined
  if (hasHooksBefore(caller, 'items.create', target)) return undefined
  const intents = items.map(({ intent }) => intent)
  const found = newRows(target, intents, writing, foreign)
  const fields = keyFieldsOf(target).map(({ name }) => name)
  const row = found && answerShape(caller, target.name, { query: { fields } })?.keyRow(caller)
  return row && { ...found, foreign, row, parents: items.map(({ parent }) => parent) }
}

/** Returns rows with the keys of those in which they are nested. */
export const withParents = (
  { rows, foreign, parents }: ChildRows,
  keys: readonly unknown[],
): readonly Intent[] =>
  rows.map((row, at) => ({
    ...row,
    payload: { ...row.payload, [foreign.name]: keys[parents[at] ?? -1] },
  }))

/** True if statements alone may judge some rows and those below them: each looks at none that is written behind it, no trigger changes what is
 *  judged, and all of them have a statement. */
export async function areJudgedAlone(rows: NewRows, row: ItemRow, writing: WriteContext): Promise<boolean> {
  const levels = levelsOf(rows, row)
  for (const { collection } of levels)
    if (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))) return false
  return levels.every((level, at) => {
    const [earlier, later] = [levels.slice(0, at), levels.slice(at)].map(tablesOf)
    return statementsOf(level, writing)?.every(
      ({ rules: { looksAt } }) =>
        looksAt.before.every((table) => !earlier?.has(table)) &&
        [...looksAt.after, ...(at === 0 ? looksAt.shown : [])].every((table) => !later?.has(table)),
    )
  })
}

type Level = NewRows & { readonly row: ItemRow }

/** Returns rows and those below them, in the order in which they are written. */
const levelsOf = (rows: NewRows, row: ItemRow): readonly Level[] => [
  { ...rows, row },
  ...rows.below.flatMap((children) => levelsOf(children, children.row)),
]

const tablesOf = (levels: readonly Level[]): ReadonlySet<string> =>
  new Set(levels.map(({ collection }) => collection.table.toLowerCase()))

/** Returns the statements of rows; undefined if one of them has none. */
function statementsOf({ collection, rows, around, row }: Level, writing: WriteContext) {
  const found = new Set<NonNullable<ReturnType<typeof templateOfNew>>>()
  let last: Intent | undefined
  for (const intent of rows) {
    if (last && isLike(collection, intent.payload, last.payload)) continue
    last = intent
    const { owner } = around
    const payload = owner === undefined ? intent.payload : { ...intent.payload, [owner]: 0 }
    const template = templateOfNew(newRow(collection, { ...intent, payload }, row, around), row, writing)
    if (!template) return undefined
    found.add(template)
  }
  return [...found]
}

/** True if items have a statement alike: they name the same fields, and the same references that are null. */
const isLike = (collection: Collection, one: ItemData, other: ItemData): boolean =>
  isNamed(one, Object.keys(other)) &&
  emptyReferences(collection, one).join() === emptyReferences(collection, other).join()

/** Returns one of several new rows, as its statement takes it. */
export const newRow = (
  collection: Collection,
  { payload, path }: Intent,
  { columns }: ItemRow,
  around: WrittenAround,
): NewRow => ({ collection, path, payload, returned: columns, isOfMany: true, around })
