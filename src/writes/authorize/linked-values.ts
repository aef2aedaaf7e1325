// Links by other values than keys show these values to every reader of the link: a caller links an item by its key only where they may
// read them, or have given them.

import { viewIn } from '../../access/caller-scope.ts'
import { fault, type Path } from '../../errors/errors.ts'
import { keyIdentity } from '../../plan/key.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import { isByValue, type ManyToOne, referencedFields, type StoredField } from '../../schema/model.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../context/write-context.ts'
import { matchingKeys } from '../stored/select-keys.ts'

/** An item whose values are copied to another. */
interface Link {
  readonly from: ItemWrite
  readonly field: ManyToOne
  readonly path: Path
}

/** Refuses links that would show what the caller may not read. `stored`: new items are judged, too, which are rows now. */
export async function refuseUnreadLinks(
  items: readonly ItemWrite[],
  writing: WriteContext,
  stored?: 'stored',
): Promise<void> {
  if (!permissionsOf(writing)) return
  const links = items.flatMap(linksOf).filter(({ from }) => !stored || from.action === 'create')
  for (const link of links) if (!(await isLinkRead(link, writing))) writing.problems.report(unread(link))
}

function linksOf(item: ItemWrite): readonly Link[] {
  const targets = item.targets.flatMap(({ field, item: from }): Link[] =>
    field.kind === 'm2o' && isByValue(field) ? [{ from, field, path: from.path }] : [],
  )
  const children = item.children.flatMap(({ relation: { foreign }, items, path }): Link[] =>
    isByValue(foreign) && items.some(isLinkedAnew) ? [{ from: item, field: foreign, path }] : [],
  )
  return [...targets, ...children]
}

const isLinkedAnew = ({ action, isAttached }: ItemWrite): boolean => action === 'create' || isAttached

/** True if the caller may read what a link would show, or has given it. */
export async function isLinkRead(
  { from, field }: Pick<Link, 'from' | 'field'>,
  writing: WriteContext,
): Promise<boolean> {
  if (!permissionsOf(writing)) return true
  for (const one of referencedFields(field))
    if (!from.named.includes(one.name) && !(await isFieldRead(one, from, writing))) return false
  return true
}

/** True if the caller reads a field on the row of an item. Of a new one that is known once it is stored. */
async function isFieldRead(
  { name, column, collection }: StoredField,
  { key }: ItemWrite,
  writing: WriteContext,
): Promise<boolean> {
  const permissions = permissionsOf(writing)
  const seen = permissions?.seen.of.get(collection)
  if (!permissions || !seen?.fields.has(name)) return false
  const part = viewIn(seen, permissions, circumstancesOf(writing))?.partly.find(
    (one) => one.column === column,
  )
  if (!part || key === undefined) return true
  return (await matchingKeys(collection, [key], part.where, writing)).has(keyIdentity(key))
}

const unread = ({ field, path }: Link) =>
  fault(
    'FORBIDDEN',
    `Items of "${field.target.name}" cannot be linked by "${field.name}" this way: the link would show what you may not read.`,
    { path, hint: `Give the value of "${field.name}" itself.` },
  )
