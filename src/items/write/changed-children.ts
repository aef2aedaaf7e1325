// Children that updates name in their items, with what judges them: rows that are found by one statement, and written by the statements of lists.
import { distinctKeys, type Key } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { Collection, ToMany } from '../../schema/model.ts'
import { isShapedAs } from '../../writes/authorize/references.ts'
import { deletes } from '../../writes/children/removed-children.ts'
import { childrenRead } from '../../writes/children/standing-children.ts'
import { hasHooksBefore } from '../../writes/context/single-statement.ts'
import type { WriteContext } from '../../writes/context/write-context.ts'
import { removalRules } from '../../writes/delete/delete-named.ts'
import { type RowObligations, tableOf, unlimited } from '../../writes/obligations/row-obligations.ts'
import type { WrittenAround } from '../../writes/program/judged-row.ts'
import { lockAll } from '../../writes/stored/lock-rows.ts'
import { knownOrder } from '../../writes/stored/side-effects.ts'
import { templateFor } from '../../writes/update/update-by-statement.ts'
import { hasPlainKey, readsOld } from './keyed-updates.ts'
import type { ItemsWithin } from './nested-items.ts'
import { areJudgedAlone, type ChildRows, childRows, writtenLevels } from './new-rows.ts'

type UpdateTemplate = NonNullable<ReturnType<typeof templateFor>>

export interface ChangedChildren extends Omit<ItemsWithin, 'made'> {
  readonly relation: ToMany
  /** Those that are new. */
  readonly rows: ChildRows
  /** Values that are written with each of them. */
  readonly around: WrittenAround
  /** The statement that finds those that are there. Undefined if none is named, and none can leave. */
  readonly read: ReturnType<typeof childrenRead>
  /** The statements that change those that are there, and all that must hold for them. */
  readonly templates: readonly UpdateTemplate[]
  readonly rules: readonly RowObligations[]
  readonly isDeleted: boolean
}

/** Returns the children of a relation; undefined if statements alone cannot judge one of them. */
export function changedChildren(
  relation: ToMany,
  { made, ...nested }: ItemsWithin,
  writing: WriteContext,
): ChangedChildren | undefined {
  const rows = childRows(relation, made, writing)
  if (!rows) return undefined
  const { named, removed, complete } = nested
  const { sort } = rows
  if (sort && named.some(({ values }) => values[sort.name] !== undefined)) return undefined
  const mayLeave = complete.size + removed.length > 0
  const around = { nested: [], owner: rows.foreign.name }
  const changes = { ...nested, relation, rows, around, isDeleted: mayLeave && deletes(relation) }
  if (named.length === 0 && !mayLeave) return { ...changes, read: undefined, templates: [], rules: [] }
  const { target } = relation
  const { caller } = writing
  const keys = [...named, ...removed].map(({ key }) => key)
  if (!hasPlainKey(target) || distinctKeys(keys).length < keys.length) return undefined
  const isHeard = (['items.update', 'items.delete'] as const).some(
    (event) => hasHooksBefore(caller, event, target) || readsOld(caller, target, event),
  )
  const read = isHeard
    ? undefined
    : childrenRead(rows.foreign, changes.isDeleted ? 'removal' : 'change', writing)
  const templates = read && templatesFor(changes, mayLeave, writing)
  const gone = changes.isDeleted ? removalRules(target, writing) : unlimited
  if (!templates || !gone) return undefined
  const found = { ...unlimited, looksAt: { ...unlimited.looksAt, before: read.tables } }
  return { ...changes, read, templates, rules: [found, gone, ...templates.map(({ rules }) => rules)] }
}

type Changes = Omit<ChangedChildren, 'read' | 'templates' | 'rules'>

/** Returns the statements that change children that are there; undefined if there is none for one of them. */
function templatesFor(
  { relation: { target, foreign }, rows, named, around, isDeleted }: Changes,
  mayLeave: boolean,
  writing: WriteContext,
): readonly UpdateTemplate[] | undefined {
  const unlinked = mayLeave && !isDeleted && foreign.isNullable
  // Links that are new are checked like those that are there, and more.
  const isLinked = named.some(({ isLink }) => isLink)
  const linked = named.flatMap(({ isLink, values }): readonly ItemData[] =>
    isLink ? [] : [{ ...values, [foreign.name]: 0 }],
  )
  const alike: readonly ItemData[] = [...(unlinked ? [null] : []), ...(isLinked ? [0] : [])].map((owner) => ({
    [foreign.name]: owner,
  }))
  const found: UpdateTemplate[] = []
  for (const payload of [...alike, ...linked]) {
    const last = found.at(-1)
    if (last && isShapedAs(target, payload, last)) continue
    const template = childTemplate({ rows, around }, payload, alike.includes(payload), writing)
    if (!template || knownOrder(target, template, writing)) return undefined
    found.push(template)
  }
  return found
}

/** Returns the statement that changes children. `isAlike`: all get the same values. */
export const childTemplate = (
  { rows: { collection, row }, around }: Pick<ChangedChildren, 'rows' | 'around'>,
  payload: ItemData,
  isAlike: boolean,
  writing: WriteContext,
): UpdateTemplate | undefined => {
  return templateFor({ collection, payload, around, isOfMany: true, isAlike }, row, writing)
}

/** True if statements alone may judge updates of a collection, by some rules, and the children that they name. */
export async function areChildrenJudged(
  collection: Collection,
  rules: readonly RowObligations[],
  children: readonly ChangedChildren[],
  writing: WriteContext,
): Promise<boolean> {
  const tables = [collection, ...children.map(({ relation }) => relation.target)].map(tableOf)
  if (new Set(tables).size < tables.length) return false
  // A row that is deleted may take others with it.
  const isBare = rules.every(({ looksAt }) => looksAt.after.length + looksAt.shown.length === 0)
  if (!isBare && children.some(({ isDeleted }) => isDeleted)) return false
  const levels = children.flatMap(({ relation: { target }, rows, rules: changed }) => {
    const [own, ...below] = writtenLevels(rows)
    return [{ collection: target, made: own?.made ?? [], changed }, ...below]
  })
  return areJudgedAlone([{ collection, made: [], changed: rules }, ...levels], writing)
}

/** Locks rows where children are locked before the items that they are in: collections are locked in the order of the schema. */
export async function lockInOrder(
  collection: Collection,
  keys: readonly Key[],
  children: readonly ChangedChildren[],
  inside: WriteContext,
): Promise<void> {
  const { dialect, schema } = inside.engine
  const places = dialect.lockRows ? [...schema.collections.values()] : []
  const isBefore = ({ relation: { target } }: ChangedChildren) =>
    places.indexOf(target) < places.indexOf(collection)
  if (!children.some(isBefore)) return
  const named = children.map(
    ({ relation: { target }, named: some, removed }) =>
      [target, { keys: [...some, ...removed].map(({ key }) => key) }] as const,
  )
  await lockAll(new Map([[collection, { keys }], ...named]), inside)
}
