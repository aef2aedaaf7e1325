// Deletes versions together with their item, so that a later item with the same key has none of them.

import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import { affect } from '../../execution/execute.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import { type Key, keyToText } from '../../plan/key.ts'
import { wholeList } from '../../plan/read/by-key.ts'
import { bindStatement } from '../../prepared/templates/template.ts'
import { type Collection, isStored, type StoredField } from '../../schema/model.ts'
import type { VersionField } from '../../schema/own-versions.ts'
import { writeListStatement } from '../../sql/write/list-write-statements.ts'
import { memoFor } from '../../values/memo.ts'
import { announceList } from '../announce.ts'
import { selectedKeys } from '../locks/select-keys.ts'
import { oldValues, readOldValues } from '../old-values.ts'
import { hasHooks } from '../update/single-statement.ts'
import { changeOf, queueEvent, runBeforeHooks, type WriteContext } from '../write-context.ts'

/** Deletes the versions of some items, in the transaction that creates or deletes the items. Rules do not apply. */
export async function deleteVersionsOf(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  if (!collection.isVersioned || keys.length === 0) return
  const { engine } = writing
  const table = engine.versions()
  const known = memoFor(tablesSeen, engine.home, () => new WeakSet())
  if (known.has(table)) return forget(collection, keys, writing)
  try {
    const work = (inside: EngineInternals) => forget(collection, keys, { ...writing, engine: inside })
    await engine.atomic(work, writing.options)
    known.add(table)
  } catch (error) {
    // Without their table there are no versions, and items can still be deleted.
    if (!lacksTable(error, engine)) throw error
  }
}

/** Tables that are known to exist, by database. */
const tablesSeen = new WeakMap<object, WeakSet<Collection>>()

/** True if a statement failed because the table does not exist. */
export const lacksTable = (error: unknown, { dialect }: EngineInternals): boolean =>
  error instanceof Error && dialect.lacksTable(error.cause)

/** Returns the key of an item as the table of versions stores it. */
export const itemText = (collection: Collection, key: Key): string => keyToText(collection, key)

async function forget(collection: Collection, keys: readonly Key[], writing: WriteContext): Promise<void> {
  const { engine, options } = writing
  const table = engine.versions()
  const items = keys.map((key) => itemText(collection, key))
  const parts = [isOneOf(table, 'collection', [collection.name]), isOneOf(table, 'item', items)]
  const list = wholeList(table, { kind: 'and', parts })
  const gone = hasHooks(engine, 'items.delete', table) ? await selectedKeys(list, writing) : []
  const change = changeOf(writing, 'items.delete', { collection: table, keys: gone })
  if (gone.length > 0) await runBeforeHooks(writing, change)
  if (gone.length > 0) await readOldValues('delete', table, gone, writing)
  const count = await affect(
    engine,
    bindStatement(writeListStatement(list, engine, { columns: undefined }), new Map()),
    options,
  )
  if (gone.length > 0) queueEvent(writing, change, { before: oldValues(table, gone, writing) })
  else if (count > 0) announceList('delete', { collection: table }, writing)
}

/** Returns the condition that a field of versions has one of some texts. */
function isOneOf(table: Collection, name: VersionField, texts: readonly string[]) {
  const values = texts.map((at) => ({ at, exact: true }))
  const subject = fieldSubject(versionField(table, name))
  return { kind: 'test', subject, operator: '_in', operand: { kind: 'values', values }, path: [] } as const
}

export function versionField(table: Collection, name: VersionField): StoredField {
  const field = table.fields.get(name)
  if (field && isStored(field)) return field
  throw fault('INVALID_OPTIONS', `The collection "${table.name}" has no field "${name}".`)
}
