// Upserts by one statement, or one for some hundreds of items, where nothing but the database decides on them. Where anything is in the way, or
// fails, nothing is written, and the general path finds out what.
import { render } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { executeSoon } from '../../execution/execute.ts'
import { attemptOr } from '../../execution/report-errors.ts'
import { forgetUniqueness } from '../../execution/uniqueness.ts'
import { type Key, keyIdentities } from '../../plan/key.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { keyCell } from '../../sql/stored-column.ts'
import { Cache } from '../../values/cache.ts'
import { memoFor } from '../../values/memo.ts'
import { batchesOf, batchSize } from '../../writes/insert/batches.ts'
import type { NewItem } from '../../writes/insert/insert-rows.ts'
import { canUndo, inOneUnit, withRetry } from '../../writes/retry.ts'
import { areTooLong, mostBytes } from '../../writes/returned-length.ts'
import { judging } from '../../writes/row-template.ts'
import { readKeys, run } from '../../writes/rows-by-key.ts'
import { noteUpdate } from '../../writes/update/side-effects.ts'
import { hasHooks } from '../../writes/update/single-statement.ts'
import { LostRace } from '../../writes/upsert/lost-race.ts'
import { onFields } from '../../writes/upsert/on-fields.ts'
import {
  type BoundUpsert,
  bindUpsert,
  type UpsertForm,
  upsertForm,
  upsertText,
} from '../../writes/upsert/upsert-by-statement.ts'
import type { Upserted } from '../../writes/upsert/upsert-rows.ts'
import { newWriteContext, type WriteContext } from '../../writes/write-context.ts'
import type { AnswerShape, ItemRow } from '../read/answer-shape.ts'
import { itemsWritten } from '../read/read-back.ts'
import { ofRows } from './bulk.ts'

/** Items of an upsert as they are given. */
export interface PlainUpsert {
  readonly collection: Collection
  readonly on: readonly string[] | undefined
  readonly items: readonly NewItem[]
  readonly shape: AnswerShape
  /** True if the numbers of created and updated items are needed. */
  readonly isCounted: boolean
}

type Answer = Upserted<readonly unknown[]>

/** Writes items by statements alone; undefined if nothing is written. */
export async function upsertTogether(
  upsert: PlainUpsert,
  engine: EngineInternals,
  options: Options,
): Promise<Answer | undefined> {
  const { collection, items, shape, isCounted } = upsert
  const [first] = items
  if (!first || !judging.isByStatement || !isUnattended(collection, engine)) return undefined
  if (isCounted && !engine.dialect.isInserted) return undefined
  // One statement locks rows in the order of its own, which only a transaction of the engine's may repeat.
  if (engine.unit && engine.dialect.lockRows && items.length > 1) return undefined
  const writing = newWriteContext(engine, options)
  const statements = await statementsFor(upsert, Object.keys(first.payload), writing)
  const bound = statements && bindUpsert(statements.form, items, writing)
  if (!bound) return undefined
  const { form, alone } = statements
  const isAlone =
    alone && items.length === 1 && !engine.unit && !areTooLong(bound.rows, engine.limits, alone.row.columns)
  try {
    if (isAlone) return await writeAlone(alone, form, bound, shape, writing)
    if (!canUndo(engine)) return undefined
    return await inOneUnit(engine, options, (inside) =>
      writeAll(statements, bound, items.length, shape, newWriteContext(inside, options)),
    )
  } catch (error) {
    if (error instanceof LostRace || (isEngineError(error) && ofRows.has(error.code))) return undefined
    if (!isEngineError(error) || error.code !== 'INTERNAL_SERVER_ERROR' || error.extensions.mayBeStored)
      throw error
    // The index may be gone by now, or the database finds one row for two items.
    forgetUniqueness(
      collection,
      form.on.fields.map(({ column }) => column),
      engine,
    )
    return undefined
  }
}

/** True if neither rules nor hooks have a say, and nothing hangs on items but their rows. */
const isUnattended = (collection: Collection, engine: EngineInternals): boolean =>
  engine.dialect.orUpdate !== undefined &&
  engine.dialect.returning.insert !== undefined &&
  !engine.scope?.permissions &&
  !collection.isVersioned &&
  !hasHooks(engine, 'items.create', collection) &&
  !hasHooks(engine, 'items.update', collection)

/** The statements of a form. */
interface Statements {
  readonly form: UpsertForm
  /** That of one item whose result is its row. */
  readonly alone: { readonly row: ItemRow; readonly text: string } | undefined
  /** Those that return keys, by the number of rows. */
  readonly texts: Map<number, string>
}

const kept = new WeakMap<object, Cache<Statements | 'none'>>()
const statementsKept = 50

/** Returns the statements for items that name some fields, which are made on first use. */
async function statementsFor(
  { collection, on, shape }: PlainUpsert,
  names: readonly string[],
  writing: WriteContext,
): Promise<Statements | undefined> {
  const { caller, options, moment } = writing
  const ofShape = memoFor(kept, shape, () => new Cache(statementsKept))
  const name = `${moment.user === undefined} ${[...names, '', ...(on ?? [''])].join('\n')}`
  const known = ofShape.get(name)
  if (known) return known === 'none' ? undefined : known
  const form = await upsertForm(collection, await onFields(collection, on, caller, options), names, writing)
  const made: Statements | undefined = form && {
    form,
    alone: aloneFor(form, shape, writing),
    texts: new Map(),
  }
  ofShape.set(name, made ?? 'none')
  return made
}

function aloneFor(form: UpsertForm, shape: AnswerShape, { caller }: WriteContext): Statements['alone'] {
  const row = shape.row(caller)
  if (!row || shape.isSorted) return undefined
  const { dialect, limits } = caller
  // What an update leaves as it is may be too long, but not the values by which the item is found.
  const known = new Set([...form.columns, ...form.on.fields.map(({ column }) => column)])
  if (mostBytes(limits) !== undefined && row.columns.bytesBeside(known)) return undefined
  const columns = row.columns.sql(dialect.isFollowedByUpdate(form.collection, form.columns))
  const text = upsertText(form, 1, { columns, insertedAt: insertedAt(row) }, dialect)
  return text === undefined ? undefined : { row, text }
}

/** Position of the flag behind all that is returned otherwise. */
const insertedAt = ({ columns }: ItemRow): number => columns.followedAt + 1

/** Writes one item without a transaction. */
async function writeAlone(
  { row, text }: NonNullable<Statements['alone']>,
  form: UpsertForm,
  { rows, filled }: BoundUpsert,
  shape: AnswerShape,
  writing: WriteContext,
): Promise<Answer | undefined> {
  const { caller: engine, options } = writing
  const statement = { sql: text, parameters: [...rows, ...filled], kind: 'write' } as const
  const [stored] = await withRetry(engine, options, () => executeSoon(engine, statement, options))
  if (!stored) return undefined
  const isCreated = Boolean(stored[insertedAt(row)])
  const counts = isCreated ? { created: 1, updated: 0 } : { created: 0, updated: 1 }
  if (isCreated) await countOn(form, [stored], writing)
  const result = row.answer(stored)
  if (!row.isFollowed(stored)) return { result, ...counts }
  noteUpdate(form.collection, form.columns, writing, true)
  const keys = readKeys([stored], form.collection, writing)
  // The item is stored, even if reading it again fails.
  return {
    result: await attemptOr(async () => itemsWritten(shape, keys, engine, options), result, engine.onError),
    ...counts,
  }
}

/** Writes items in a transaction, and reads them. */
async function writeAll(
  { form, texts }: Statements,
  { rows: bound, filled }: BoundUpsert,
  count: number,
  shape: AnswerShape,
  writing: WriteContext,
): Promise<Answer> {
  const { collection, layout } = form
  const { dialect } = writing.engine
  const width = layout.fields.length
  const found: Row[] = []
  for (const [from, until] of batchesOf(count, batchSize(width))) {
    const rows = until - from
    const text =
      texts.get(rows) ??
      upsertText(form, rows, { columns: keyCell(collection, dialect), insertedAt: 1 }, dialect)
    if (text === undefined) throw new LostRace()
    texts.set(rows, text)
    const parameters = [...bound.slice(from * width, until * width), ...filled]
    found.push(...(await run(writing, { sql: text, parameters, kind: 'write' })))
  }
  const keys: readonly Key[] = readKeys(found, collection, writing)
  // A trigger may have left out a row, and two items may be one for the database.
  if (keyIdentities(keys).size < count) throw new LostRace()
  const created = found.filter((row) => Boolean(row[1]))
  await countOn(form, created, writing)
  const result = await itemsWritten(shape, keys, writing.caller, writing.options)
  return { result, created: created.length, updated: count - created.length }
}

/** Advances the sequence past the keys that were given to new rows. */
async function countOn(
  { collection, layout }: UpsertForm,
  created: readonly Row[],
  writing: WriteContext,
): Promise<void> {
  const { key } = collection
  const { dialect } = writing.engine
  const isGiven = key?.kind === 'scalar' && key.value.family === 'integer' && layout.fields.includes(key)
  if (!isGiven || !dialect.countOn || created.length === 0) return
  const last = readKeys(created, collection, writing).reduce<bigint>(
    (most, one) => (typeof one === 'bigint' && one > most ? one : most),
    0n,
  )
  if (last > 0n) await run(writing, render(dialect.countOn(collection, key.column, last), dialect))
}
