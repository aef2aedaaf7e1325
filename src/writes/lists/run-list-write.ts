// Runs writes of lists, and reports what they have written.

import type { EngineInternals } from '../../engine/engine.ts'
import { affect } from '../../execution/execute.ts'
import { attemptOr } from '../../execution/report-errors.ts'
import { bindStatement, type StatementValues } from '../../prepared/templates/template.ts'
import type { Statement } from '../../sql/statement.ts'
import { withConstraintErrors } from '../authorize/constraint-error.ts'
import type { WriteContext } from '../context/write-context.ts'
import { UnsureRows } from '../program/rows-together.ts'
import type { Program } from '../program/run-program.ts'
import { announceList, namesOfColumns, runAlone } from '../stored/announce.ts'
import { run } from '../stored/rows-by-key.ts'
import { keysReadBy, shownElements } from '../stored/select-keys.ts'
import { hasTriggers, isUpdateFollowed } from '../stored/side-effects.ts'
import { shared } from '../stored/unique-keys.ts'
import { type Affected, type BulkBounds, maxKeys, refuseTooMany } from './affected-rows.ts'
import type { ListWrite, ReadingWrite, SilentWrite, TellingWrite } from './list-write.ts'

/** True if a write is one statement, which decides on all rows by itself and needs no transaction. */
function isOneStatement({ kind, change }: ListWrite, { unit }: EngineInternals, bounds: BulkBounds): boolean {
  // It would report too many rows, or one that may not be written, only after they were written.
  return kind !== 'reading' && !unit && bounds.maxAffected === undefined && !change.limits?.mayRefuse
}

/** Returns the program of a write whose rows are only affected by itself. */
export const listProgram = (
  write: ListWrite,
  boundValues: StatementValues,
  bounds: BulkBounds,
): Program<Affected> => ({
  alone: (writing) => writeAlone(write, boundValues, writing, bounds),
  within: (inside) => runListWrite(write, boundValues, inside, bounds),
})

/** Writes the rows without a transaction; undefined if they take one, and nothing is written. Only the write itself affects them. */
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
    writeList(one, boundValues, writing, bounds),
  )
  // Whatever fails from here on, the rows are written: nothing of it is repeated.
  await announceAffected(one, affected, writing)
  if (affected.count === 0 && engine.dialect.mayFailHalfway) return undefined
  await requireUnfollowed(write, affected.count, writing)
  return affected
}

/** Writes the rows. `boundValues`: the values of the query, where the statements were made for another of its shape. */
export async function runListWrite(
  write: ListWrite,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const affected = await writeList(write, boundValues, writing, bounds)
  await requireUnfollowed(write, affected.count, writing)
  await announceAffected(write, affected, writing)
  return affected
}

/** Ends an attempt that has written nothing, if triggers are in its way: they may have been added since another call has asked. */
async function requireUnfollowed(write: ListWrite, count: number, writing: WriteContext): Promise<void> {
  const { list, change } = write
  if (count === 0 && change.followed && (await hasTriggers(list.collection, writing))) throw new UnsureRows()
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
  { count, keys }: Affected,
  writing: WriteContext,
): Promise<void> {
  if (count === 0) return
  const { action, collection, fields } = subjectOf(write)
  const { hooks, unit, onError } = writing.engine
  const isListenedTo = fields.length > 0 && hooks.listeners.want(`items.${action}`, collection.name)
  const columns = fields.map(({ column }) => column)
  const isFollowed = () => isUpdateFollowed(collection, columns, writing)
  // Outside of a transaction the rows are stored, even if this cannot be asked.
  const mayChangeMore =
    !isListenedTo || (unit ? await isFollowed() : await attemptOr(isFollowed, true, onError))
  const names = mayChangeMore ? undefined : namesOfColumns(collection, columns)
  announceList(action, { collection, keys, fields: names }, writing)
}

function subjectOf({ list: { collection }, change: { columns } }: ListWrite) {
  const action = columns ? ('update' as const) : ('delete' as const)
  return { action, collection, fields: columns?.fields ?? [] }
}

/** Writes rows without returning their keys. */
export async function writeSilently(
  { list, change, statement: open }: Pick<SilentWrite, 'list' | 'change' | 'statement'>,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<number> {
  const statement = bindStatement(open, boundValues)
  const count = await withConstraintErrors(
    { collection: list.collection, isDeletion: !change.columns },
    writing,
    async () => affect(writing.engine, statement, writing.options),
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
  const [row] = await withConstraintErrors(
    { collection: list.collection, isDeletion: !change.columns },
    writing,
    () => run(writing, bindStatement(statement, boundValues)),
  )
  const count = Number(row?.[0])
  if (change.limits?.mayRefuse) requireAll(count, Number(row?.[2]))
  refuseTooMany(count, bounds)
  if (count > most) return { count }
  // A list without elements is null.
  const keys = shownElements(JSON.parse(String(row?.[1] ?? '[]')), read)
  return keys ? { count, keys } : { count }
}

/** Writes rows after reading their keys. No other client writes in the meantime. */
async function writeAfterReading(
  write: ReadingWrite,
  boundValues: StatementValues,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const keys = await keysReadBy(write.keys, boundValues, writing)
  refuseTooMany(keys.length, bounds)
  // The statement does not count rows that are deleted by a cascade.
  const isCut = keys.length > maxKeys
  const count = isCut ? await countBy(write.count, boundValues, writing) : keys.length
  refuseTooMany(count, bounds)
  const written = await writeSilently(write, boundValues, writing, bounds)
  if (write.change.limits?.mayRefuse || write.change.followed) requireAll(written, count)
  if (written > count) throw shared(write.list.collection)
  return isCut ? { count } : { count, keys }
}

/** Ends an attempt to write some rows where rules do not allow it for all. */
function requireAll(written: number, visible: number): void {
  if (written < visible) throw new UnsureRows()
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
