// Deletes or updates the rows of a list, which nobody has to lock or judge before. The statements are made once for all queries of a shape.

import type { Cell } from '../dialects/phrase-types.ts'
import type { EngineInternals } from '../engine/engine.ts'
import { affect } from '../execution/execute.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import { bindStatement, type StatementValues } from '../prepared/template.ts'
import type { Collection } from '../schema/model.ts'
import type { Statement } from '../sql/statement.ts'
import {
  countListStatement,
  type KeysStatement,
  type ListChange,
  listKeysStatement,
  writeListStatement,
  writeTellingStatement,
} from '../sql/write/list-write-statements.ts'
import { once } from '../values/memo.ts'
import { announceList, runAlone } from './announce.ts'
import { forbidden } from './authorize/writable-fields.ts'
import { withConstraintErrors } from './constraint-error.ts'
import { type Affected, type BulkBounds, mostKeys, refuseTooMany } from './delete/affected-rows.ts'
import { keysReadBy } from './locks/select-keys.ts'
import { run } from './rows-by-key.ts'
import { shared } from './unique-keys.ts'
import { isUpdateFollowed } from './update/side-effects.ts'
import { needsEach } from './update/single-statement.ts'
import type { WriteContext } from './write-context.ts'

/** A write that returns no keys. */
export interface SilentWrite {
  readonly kind: 'silent'
  readonly list: ListPlan
  readonly change: ListChange
  readonly statement: Statement
  /** The same without a transaction around it: where it might not undo what it did before it failed, it writes nothing. */
  readonly alone: () => Statement
}

/** A write that returns the keys, or their number. */
interface TellingWrite {
  readonly kind: 'telling'
  readonly list: ListPlan
  readonly change: ListChange
  readonly statement: Statement
  readonly read: Cell['read']
  /** Maximum number of rows whose keys it returns. */
  readonly most: number
}

/** A write after which the keys are known, because they were read before. */
interface ReadingWrite extends Omit<SilentWrite, 'kind' | 'alone'> {
  readonly kind: 'reading'
  readonly keys: KeysStatement
  readonly count: Statement
}

export type ListWrite = SilentWrite | TellingWrite | ReadingWrite

/** True if rows of a collection may be deleted without looking at each: there are no rules, hooks or versions. */
export const isUnlocked = (
  collection: Collection,
  engine: EngineInternals,
  bounds: Pick<BulkBounds, 'dryRun'>,
): boolean => !engine.scope?.permissions && isDeletedAtOnce(collection, engine, bounds)

/** Returns the bounds of a call, so that keys that listeners want are returned. */
export function tellingBounds(
  action: 'update' | 'delete',
  { name }: Collection,
  bounds: BulkBounds,
  { hooks }: EngineInternals,
): BulkBounds {
  const { dryRun = false, maxAffected, keys } = bounds
  const isSilent = keys === false && hooks.listeners.want(`items.${action}`, name)
  return isSilent ? { dryRun, keys: true, ...(maxAffected !== undefined && { maxAffected }) } : bounds
}

/** True if there are no hooks or versions, so that at most rules have a say in a deletion. */
export function isDeletedAtOnce(
  collection: Collection,
  engine: EngineInternals,
  { dryRun }: Pick<BulkBounds, 'dryRun'>,
): boolean {
  return !dryRun && !collection.isVersioned && !needsEach(engine, 'items.delete', collection)
}

/** Returns the statements of a change. Undefined if others could write the rows between two of them, or rules limit a part of a list.
 *  `reader`: as it reads the list. */
export function listWrite(
  list: ListPlan,
  reader: EngineInternals,
  { keys }: Pick<BulkBounds, 'keys'>,
  change: ListChange = deletion,
): ListWrite | undefined {
  const { limits } = change
  if (limits && !isWhole(list)) return undefined
  // A statement without a result is not told that a column has another type than when it was prepared.
  const needsResult =
    (change.columns !== undefined && reader.dialect.typeCell !== undefined) || limits?.mayRefuse
  if (keys === false && isWhole(list) && !needsResult) return silentWrite(list, reader, change)
  const most = keys === false ? 0 : mostKeys
  const telling = isByKey(list) ? writeTellingStatement(list, reader, most, change) : undefined
  if (telling) return { ...telling, kind: 'telling', list, change, most }
  if (!reader.dialect.writeLock) return undefined
  return {
    ...silentWrite(list, reader, change),
    kind: 'reading',
    keys: listKeysStatement(upTo(list, mostKeys + 1), reader),
    count: countListStatement(list, reader),
  }
}

export const silentWrite = (
  list: ListPlan,
  reader: EngineInternals,
  change: ListChange = deletion,
): SilentWrite => ({
  kind: 'silent',
  list,
  change,
  statement: writeListStatement(list, reader, change),
  alone: once(() => {
    const unless = reader.dialect.mayFailHalfway?.(list.collection)
    return writeListStatement(list, reader, { ...change, unless })
  }),
})

const deletion: ListChange = { columns: undefined }

/** All statements of a write. */
export const statementsOf = (write: ListWrite): readonly Statement[] =>
  write.kind === 'reading' ? [write.statement, write.keys, write.count] : [write.statement]

/** True if a write is one statement, which decides on all rows by itself and needs no transaction. */
function isOneStatement({ kind, change }: ListWrite, { unit }: EngineInternals, bounds: BulkBounds): boolean {
  // It would report too many rows, or one that may not be written, only after they were written.
  return kind !== 'reading' && !unit && bounds.maxAffected === undefined && !change.limits?.mayRefuse
}

/** Writes the rows without a transaction; undefined if they take one, and nothing is written. Nobody else has a say in them. */
export async function writeAlone(
  write: ListWrite,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected | undefined> {
  const { caller, engine } = writing
  if (!isOneStatement(write, caller, bounds)) return undefined
  const one = write.kind === 'silent' ? { ...write, statement: write.alone() } : write
  const { action, collection } = subjectOf(write)
  const affected = await runAlone(action, { collection }, writing, () =>
    runListWrite(one, boundValues, writing, bounds),
  )
  return affected.count === 0 && engine.dialect.mayFailHalfway ? undefined : affected
}

/** Writes the rows. `boundValues`: the values of the query, where the statements were made for another of its shape. */
export async function runListWrite(
  write: ListWrite,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const affected = await writeList(write, boundValues, writing, bounds)
  if (affected.count > 0) await announceAffected(write, affected.keys ?? bounds.named, writing)
  return affected
}

async function writeList(
  write: ListWrite,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  if (write.kind === 'telling') return writeTelling(write, boundValues, writing, bounds)
  if (write.kind === 'reading') return writeAfterReading(write, boundValues, writing, bounds)
  return { count: await writeSilently(write, boundValues, writing, bounds) }
}

/** Reports the rows to listeners. */
async function announceAffected(
  write: ListWrite,
  keys: Affected['keys'],
  writing: WriteContext,
): Promise<void> {
  const { action, collection, fields } = subjectOf(write)
  const isListenedTo = writing.engine.hooks.listeners.want(`items.${action}`, collection.name)
  const columns = fields.map(({ column }) => column)
  const isAll = fields.length === 0 || !isListenedTo || (await isUpdateFollowed(collection, columns, writing))
  const names = isAll ? undefined : fields.map(({ name }) => name)
  announceList(action, { collection, keys, fields: names }, writing)
}

function subjectOf({ list: { collection }, change: { columns } }: ListWrite) {
  const action = columns ? ('update' as const) : ('delete' as const)
  return { action, collection, fields: columns?.fields ?? [] }
}

/** Writes rows without returning their keys. */
export async function writeSilently(
  { list, statement: open }: Pick<SilentWrite, 'list' | 'statement'>,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<number> {
  const statement = bindStatement(open, boundValues)
  const count = await withConstraintErrors(list, writing, () =>
    affect(writing.engine, statement, writing.options),
  )
  refuseTooMany(count, bounds)
  if (count > (list.page.limit ?? count)) throw shared(list.collection)
  return count
}

async function writeTelling(
  { list, change, statement, read, most }: TellingWrite,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const [row] = await withConstraintErrors(list, writing, () =>
    run(writing, bindStatement(statement, boundValues)),
  )
  const count = Number(row?.[0])
  if (change.limits?.mayRefuse) requireAll(count, Number(row?.[2]), change)
  refuseTooMany(count, bounds)
  if (count > most) return { count }
  // A list without elements is null.
  const keys: readonly (string | number)[] = JSON.parse(String(row?.[1] ?? '[]'))
  return { count, keys: read ? keys.map((key) => read(key) as string | number) : keys }
}

/** Writes rows after reading their keys. Nobody else writes in the meantime. */
async function writeAfterReading(
  write: ReadingWrite,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const keys = await keysReadBy(write.keys, boundValues, writing)
  refuseTooMany(keys.length, bounds)
  // The statement does not count rows that are deleted by a cascade.
  const isCut = keys.length > mostKeys
  const count = isCut ? await countBy(write.count, boundValues, writing) : keys.length
  refuseTooMany(count, bounds)
  const written = await writeSilently(write, boundValues, writing, bounds)
  if (write.change.limits?.mayRefuse) requireAll(written, count, write.change)
  if (written > count) throw shared(write.list.collection)
  return isCut ? { count } : { count, keys }
}

/** Refuses to write some rows where rules do not allow it for all. */
function requireAll(written: number, visible: number, { columns }: ListChange): void {
  if (written < visible) throw forbidden([], columns ? 'update' : 'delete', 'all of these items')
}

/** Returns the number that a statement counts. */
export async function countBy(
  statement: Statement,
  boundValues: StatementValues,
  writing: WriteContext,
): Promise<number> {
  const [row] = await run(writing, bindStatement(statement, boundValues))
  return Number(row?.[0])
}

/** Returns the list, limited to its first rows. */
export function upTo(list: ListPlan, most: number): ListPlan {
  const { limit = most } = list.page
  return { ...list, page: { ...list.page, limit: Math.min(limit, most) } }
}

/** True if the list has all rows that meet a condition. */
export const isWhole = ({ page }: ListPlan): boolean => page.limit === undefined && page.offset === 0

/** True if the list has all rows that meet a condition, in the order of keys that can be sorted here. */
function isByKey(list: ListPlan): boolean {
  const {
    order: [first, ...others],
    collection: { key },
  } = list
  if (!isWhole(list) || first?.kind !== 'value' || others.length > 0) return false
  const { family } = key?.value ?? {}
  const { subject, route } = first.value
  const isKey = route.length === 0 && subject.kind === 'field' && subject.field === key
  return isKey && !first.isDescending && (family === 'integer' || family === 'uuid')
}
