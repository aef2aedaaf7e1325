// Changes from the entries of the log.

import type { LogEntry, LoggedOperation } from '../../dialects/change-log/phrases.ts'
import { fault } from '../../errors/errors.ts'
import type { ShownKey } from '../../plan/key.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'
import type { SourceChange, SourceContext, WriteOperation } from '../feed/source.ts'
import { type ChangeLog, linkingFields, loggedColumn } from './logged-tables.ts'

/** Keys of a change: of more than a thousand no rows are read one by one. */
const maxKeys = 500

/** A change that grows. */
interface GrowingChange extends SourceChange {
  readonly by: LoggedOperation
  readonly keys: ShownKey[]
  readonly before: (Readonly<Record<string, unknown>> | null)[]
}

/** Returns the changes of those collections that are watched. What is logged of others, such as those of another schema, is theirs. An entry that cannot be
 *  read may be one of any row, and is reported once for its collection. */
export function changesOf(
  entries: readonly LogEntry[],
  { wants, onError }: SourceContext,
  log: ChangeLog,
): readonly SourceChange[] {
  const changes: SourceChange[] = []
  const readers = new Map<string, EntryReader | undefined>()
  const failures = new Map<string, unknown>()
  let last: GrowingChange | undefined
  for (const entry of entries) {
    const { collection: name, operation } = entry
    if (!readers.has(name)) readers.set(name, readerOf(log, name))
    const reader = readers.get(name)
    if (!reader || wants('items.update', name) === false) continue
    const row = readOrNote(() => reader(entry), name, failures)
    if (!row) {
      last = undefined
      changes.push({ collection: name })
      continue
    }
    if (last?.collection !== name || last.by !== operation || last.keys.length >= maxKeys) {
      last = { collection: name, by: operation, operation: operations[operation], keys: [], before: [] }
      changes.push(last)
    }
    last.keys.push(row.key)
    last.before.push(row.before)
  }
  for (const [name, cause] of failures) onError(unreadable(name, cause))
  return changes
}

/** Returns what is read, or notes the first failure of a collection. */
function readOrNote<Read>(
  read: () => Read,
  collection: string,
  failures: Map<string, unknown>,
): Read | undefined {
  try {
    return read()
  } catch (error) {
    if (!failures.has(collection)) failures.set(collection, error)
    return undefined
  }
}

const unreadable = (collection: string, cause: unknown) =>
  fault('INTERNAL_SERVER_ERROR', `An entry of the change log for "${collection}" cannot be read.`, {
    hint: 'All of its lists are read again. Nothing is missed.',
    cause,
  })

const operations: Readonly<Partial<Record<LoggedOperation, WriteOperation>>> = { c: 'create', d: 'delete' }

/** Reads an entry; undefined if it may be one of any row. */
type EntryReader = (
  entry: LogEntry,
) => { readonly key: ShownKey; readonly before: Readonly<Record<string, unknown>> | null } | undefined

function readerOf({ engine, read }: ChangeLog, name: string): EntryReader | undefined {
  const collection = engine.schema.collections.get(name)
  if (!collection?.key) return undefined
  const keys = keyFieldsOf(collection)
  const links = linkingFields(collection)
  const [keyColumns, linkColumns] = [keys.map(loggedColumn), links.map(loggedColumn)]
  return ({ operation, key, old }) => {
    const values = read(keyColumns, key)
    if (values.length === 0 || !values.every(isPart)) return undefined
    const [only] = values
    const shown = isOfOne(collection) && only !== undefined ? only : values
    if (operation === 'c') return { key: shown, before: null }
    const held = read(linkColumns, old)
    const before = new Map([
      ...keys.map((field, at) => [field.name, values[at]] as const),
      ...links.flatMap((field, at) => (at < held.length ? [[field.name, held[at]] as const] : [])),
    ])
    return { key: shown, before: Object.fromEntries<unknown>(before) }
  }
}

const isOfOne = ({ key }: Collection): boolean => key?.kind !== 'key'

const isPart = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'
