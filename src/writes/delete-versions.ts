// Versions are of an item: they go with it, and whoever gets its key later finds none of them.
import type { Engine } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { affect } from '../execution/execute.ts'
import { wholeList } from '../plan/by-key.ts'
import { fieldSubject } from '../plan/field-path.ts'
import { keyAnswer } from '../plan/shown-value.ts'
import type { Storable } from '../plan/stored-value.ts'
import { bindStatement } from '../prepared/template.ts'
import { type Collection, isToMany, type StoredField } from '../schema/model.ts'
import type { VersionField } from '../schema/own-versions.ts'
import { deleteListStatement } from '../sql/write-statements.ts'
import { memoFor } from '../values/memo.ts'
import { selectedKeys } from './select-keys.ts'
import { isHeard } from './single-statement.ts'
import { ask, changeOf, remember, type WriteContext } from './write-context.ts'

/** Deletes the versions of some items, in the transaction in which these come or go. No rule is asked. */
export async function deleteVersionsOf(
  collection: Collection,
  keys: readonly Storable[],
  writing: WriteContext,
): Promise<void> {
  if (!collection.isVersioned || keys.length === 0) return
  const { engine } = writing
  const table = engine.versions()
  const known = memoFor(tablesSeen, engine.home, () => new WeakSet())
  if (known.has(table)) return forget(collection, keys, writing)
  try {
    const work = (inside: Engine) => forget(collection, keys, { ...writing, engine: inside })
    await engine.transaction(work, writing.options)
    known.add(table)
  } catch (error) {
    // Without a table there are no versions, which keeps nobody from deleting an item.
    if (!lacksTable(error, engine)) throw error
  }
}

/** Tables of which it is known that they are there, by database. */
const tablesSeen = new WeakMap<object, WeakSet<Collection>>()

/** Whether a statement failed because there is no such table. */
export const lacksTable = (error: unknown, { dialect }: Engine): boolean =>
  error instanceof Error && dialect.lacksTable(error.cause)

/** The item as the table of versions names it. */
export const itemText = (collection: Collection, key: Storable): string => String(keyAnswer(collection, key))

async function forget(
  collection: Collection,
  keys: readonly Storable[],
  writing: WriteContext,
): Promise<void> {
  const { engine, options } = writing
  const table = engine.versions()
  const items = keys.map((key) => itemText(collection, key))
  const parts = [isOneOf(table, 'collection', [collection.name]), isOneOf(table, 'item', items)]
  const list = wholeList(table, { kind: 'and', parts })
  const gone = isHeard(engine, 'items.delete', table) ? await selectedKeys(list, writing) : []
  const change = changeOf(writing, 'items.delete', table, gone)
  if (gone.length > 0) await ask(writing, change)
  await affect(engine, bindStatement(deleteListStatement(list, engine), new Map()), options)
  if (gone.length > 0) remember(writing, change)
}

/** A condition that a field of versions holds one of some texts. */
function isOneOf(table: Collection, name: VersionField, texts: readonly string[]) {
  const values = texts.map((at) => ({ at, exact: true }))
  const subject = fieldSubject(versionField(table, name))
  return { kind: 'test', subject, operator: '_in', operand: { kind: 'values', values }, path: [] } as const
}

export function versionField(table: Collection, name: VersionField): StoredField {
  const field = table.fields.get(name)
  if (field && !isToMany(field)) return field
  throw fault('INVALID_OPTIONS', `The collection "${table.name}" has no field "${name}".`)
}
