// Deletes versions together with their item, so that a later item with the same key has none of them.

import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import { affect } from '../../execution/execute.ts'
import { orElse, type Soon, soon } from '../../execution/soon.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import type { Test, TestOperand } from '../../plan/filter/predicate.ts'
import { type Key, keyToText } from '../../plan/key.ts'
import { wholeList } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { bindStatement, noBoundValues } from '../../prepared/templates/template.ts'
import { type Collection, isStored, type StoredField } from '../../schema/model.ts'
import type { VersionField } from '../../schema/own-versions.ts'
import type { Statement } from '../../sql/statement.ts'
import { writeListStatement } from '../../sql/write/list-write-statements.ts'
import { memoFor } from '../../values/memo.ts'
import { hasHooks } from '../context/single-statement.ts'
import { changeOf, queueEvent, runBeforeHooks, type WriteContext } from '../context/write-context.ts'
import { announceList } from '../stored/announce.ts'
import { oldValues, readOldValues } from '../stored/old-values.ts'
import { selectedKeys } from '../stored/select-keys.ts'

/** Deletes the versions of some items, in the transaction that creates or deletes the items. Rules do not apply. */
export function deleteVersionsOf(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Soon<void> {
  if (!collection.isVersioned || keys.length === 0) return
  const { engine } = writing
  const table = engine.versions()
  const known = memoFor(tablesSeen, engine.home, () => new WeakSet())
  if (known.has(table)) return forget(collection, keys, writing)
  const work = (inside: EngineInternals) => forget(collection, keys, { ...writing, engine: inside })
  return orElse(
    () => soon(engine.atomic(work, writing.options), () => void known.add(table)),
    (error) => {
      // Without their table there are no versions, and items can still be deleted.
      if (!lacksTable(error, engine)) throw error
    },
  )
}

/** Tables that are known to exist, by database. */
const tablesSeen = new WeakMap<object, WeakSet<Collection>>()

/** True if a statement failed because the table does not exist. */
export const lacksTable = (error: unknown, { dialect }: EngineInternals): boolean =>
  error instanceof Error && dialect.lacksTable(error.cause)

/** Returns the key of an item as the table of versions stores it. */
export const itemText = (collection: Collection, key: Key): string => keyToText(collection, key)

function forget(collection: Collection, keys: readonly Key[], writing: WriteContext): Soon<void> {
  const { engine, options } = writing
  const table = engine.versions()
  const items = keys.map((key) => itemText(collection, key))
  if (hasHooks(engine, 'items.delete', table)) return forgetEach(collection, items, writing)
  const { statement, item } = memoFor(
    memoFor(statements, engine.templates, () => new WeakMap<Collection, Forgetting>()),
    collection,
    () => forgetting(collection, items, engine),
  )
  const bound = bindStatement(statement, new Map([[item, operandOf(items)]]))
  return soon(affect(engine, bound, options), (count) => {
    if (count > 0) announceList('delete', { collection: table }, writing)
  })
}

/** The deletion of the versions of some items, whose texts each call binds to a test. */
interface Forgetting {
  readonly list: ListPlan
  readonly statement: Statement
  readonly item: Test
}

const statements = new WeakMap<object, WeakMap<Collection, Forgetting>>()

function forgetting({ name }: Collection, items: readonly string[], engine: EngineInternals): Forgetting {
  const table = engine.versions()
  const item = isOneOf(table, 'item', items)
  const list = wholeList(table, { kind: 'and', parts: [isOneOf(table, 'collection', [name]), item] })
  return { list, item, statement: writeListStatement(list, engine, { columns: undefined }) }
}

async function forgetEach(
  collection: Collection,
  items: readonly string[],
  writing: WriteContext,
): Promise<void> {
  const { engine, options } = writing
  const table = engine.versions()
  const { list, statement } = forgetting(collection, items, engine)
  const gone = await selectedKeys(list, writing)
  const change = changeOf(writing, 'items.delete', { collection: table, keys: gone })
  if (gone.length > 0) await runBeforeHooks(writing, change)
  if (gone.length > 0) await readOldValues('delete', table, gone, writing)
  const count = await affect(engine, bindStatement(statement, noBoundValues), options)
  if (gone.length > 0) queueEvent(writing, change, { before: oldValues(table, gone, writing) })
  else if (count > 0) announceList('delete', { collection: table }, writing)
}

/** Returns the condition that a field of versions has one of some texts. */
function isOneOf(table: Collection, name: VersionField, texts: readonly string[]): Test {
  const subject = fieldSubject(versionField(table, name))
  return { kind: 'test', subject, operator: '_in', operand: operandOf(texts), path: [] }
}

const operandOf = (texts: readonly string[]): TestOperand => ({
  kind: 'values',
  values: texts.map((at) => ({ at, exact: true })),
})

export function versionField(table: Collection, name: VersionField): StoredField {
  const field = table.fields.get(name)
  if (field && isStored(field)) return field
  throw fault('INVALID_OPTIONS', `The collection "${table.name}" has no field "${name}".`)
}
