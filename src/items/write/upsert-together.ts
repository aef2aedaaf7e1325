// Upserts by one statement, or one for some hundreds of items, where nothing but the database decides on them. Where anything is in the way, or
// fails, nothing is written, and the general path finds out what.

import type { Dialect } from '../../dialects/dialect.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { EventName } from '../../engine/events.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { executeSoon } from '../../execution/execute.ts'
import { attemptOr } from '../../execution/report-errors.ts'
import { orElse, soon } from '../../execution/soon.ts'
import { forgetUniqueness } from '../../execution/uniqueness.ts'
import { type Key, keyIdentities, shownKeyOf } from '../../plan/key.ts'
import { looksFurther } from '../../plan/write/later-validations.ts'
import { bindStatement } from '../../prepared/templates/template.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { followedStatement } from '../../sql/write/returning.ts'
import { givenRowsValue, rowValues } from '../../sql/write/row-values.ts'
import { batchesOf, batchSize, slicesOf } from '../../writes/context/batches.ts'
import { ofRows } from '../../writes/context/in-halves.ts'
import { canUndo, inOneUnit } from '../../writes/context/retry.ts'
import { judging } from '../../writes/context/row-template.ts'
import { needsEach } from '../../writes/context/single-statement.ts'
import { newWriteContext, type WriteContext } from '../../writes/context/write-context.ts'
import { countOn } from '../../writes/insert/count-on.ts'
import { areTooLong } from '../../writes/program/returned-length.ts'
import { LostRace } from '../../writes/store-items.ts'
import { announceList, runAlone } from '../../writes/stored/announce.ts'
import { readKeys, run } from '../../writes/stored/rows-by-key.ts'
import { noteUpdate } from '../../writes/stored/side-effects.ts'
import {
  type BoundUpsert,
  bindUpsert,
  type UpsertForm,
  upsertText,
} from '../../writes/upsert/upsert-by-statement.ts'
import type { Upserted } from '../../writes/upsert/upsert-rows.ts'
import { refersToItself } from '../../writes/upsert/write-in-turns.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import { itemsWritten } from '../read/read-back.ts'
import { insertedAt, type PlainUpsert, type Statements, statementsFor } from './upsert-statements.ts'

type Answer = Upserted<readonly unknown[]>

/** Writes items by statements alone, without a promise if the database responds synchronously; undefined if nothing is written. */
export function upsertTogether(
  upsert: PlainUpsert,
  engine: EngineInternals,
  options: Options,
): Answer | undefined | Promise<Answer | undefined> {
  const { collection, items, isCounted } = upsert
  const [first] = items
  if (!first || !judging.isByStatement || !isUnattended(collection, engine)) return undefined
  if (isCounted && !engine.dialect.isInserted) return undefined
  // One statement locks rows in the order of its own, which only a transaction of the engine's may repeat.
  if (engine.unit && engine.dialect.lockRows && items.length > 1) return undefined
  // The database looks at the items to which others refer behind all rows of a statement.
  if (items.length > 1 && refersToItself(collection)) return undefined
  const writing = newWriteContext(engine, options)
  const statements = statementsFor(upsert, first.payload, writing)
  return soon(statements, (made) => writeBy(made, upsert, writing))
}

function writeBy(
  statements: Statements | undefined,
  upsert: PlainUpsert,
  writing: WriteContext,
): Answer | undefined | Promise<Answer | undefined> {
  const { items, shape } = upsert
  const bound = statements && bindUpsert(statements.form, items, writing)
  if (!bound) return undefined
  const { caller: engine, options } = writing
  const { form, alone } = statements
  const otherwise = (error: unknown) => leaveToOthers(error, form, engine)
  const isOne = items.length === 1
  const isAlone = alone && isOne && !engine.unit && !areTooLong(bound.rows, engine.limits, alone.row.columns)
  if (!isAlone) {
    // An update returns the row of one that is there.
    if (isOne || !canUndo(engine)) return undefined
    let isRepeated = false
    const write = async (inside: EngineInternals) => {
      // A call that has met others in another order locks the rows that exist first, and writes in the order of the items again.
      if (isRepeated) throw new LostRace()
      isRepeated = true
      return writeAll(statements, bound, upsert, newWriteContext(inside, options))
    }
    return orElse<Answer | undefined>(() => inOneUnit(engine, options, write), otherwise)
  }
  return orElse(() => writeAlone({ ...alone, form, shape }, bound, writing), otherwise)
}

/** Returns undefined if the general path is to find out why the statements have failed. */
export function leaveToOthers(
  error: unknown,
  { collection, on }: Pick<UpsertForm, 'collection' | 'on'>,
  engine: EngineInternals,
): undefined {
  if (error instanceof LostRace || (isEngineError(error) && ofRows.has(error.code))) return undefined
  if (!isEngineError(error) || error.code !== 'INTERNAL_SERVER_ERROR' || error.extensions.mayBeStored)
    throw error
  // The index may be gone by now, or the database finds one row for two items.
  forgetUniqueness(
    collection,
    on.fields.map(({ column }) => column),
    engine,
  )
  return undefined
}

/** True if neither rules nor hooks take part, and nothing depends on items but their rows. */
const isUnattended = (collection: Collection, engine: EngineInternals): boolean =>
  engine.dialect.orUpdate !== undefined &&
  engine.dialect.returning.insert !== undefined &&
  !engine.scope?.permissions &&
  !collection.isVersioned &&
  !looksFurther(collection, engine.schema) &&
  (['items.create', 'items.update'] as const).every(
    (event) => !needsEach(engine, event, collection) && isKnownAfter(engine, event, collection),
  )

/** True if there is no listener, or the statement returns whether it has created a row. */
const isKnownAfter = ({ dialect, hooks }: EngineInternals, event: EventName, { name }: Collection): boolean =>
  dialect.isInserted !== undefined || !hooks.listeners.want(event, name)

/** The statement of one item, and the forms of its values and of its result. */
interface LoneUpsert extends NonNullable<Statements['alone']> {
  readonly form: UpsertForm
  readonly shape: AnswerShape
}

/** Writes one item without a transaction. */
function writeAlone(
  lone: LoneUpsert,
  { rows, filled }: BoundUpsert,
  writing: WriteContext,
): Answer | undefined | Promise<Answer | undefined> {
  const { caller: engine, options } = writing
  const parameters = filled.length === 0 ? rows : [...rows, ...filled]
  const statement = { sql: lone.text, parameters, kind: 'write' } as const
  const answer = ([stored]: readonly Row[]) => stored && answerOf(stored, lone, writing)
  const stored = runAlone('upsert', { collection: lone.form.collection }, writing, () =>
    executeSoon(engine, statement, options),
  )
  return soon(stored, answer)
}

/** Returns the result of an item that is stored: without a promise if nothing follows. */
function answerOf(stored: Row, lone: LoneUpsert, writing: WriteContext): Answer | Promise<Answer> {
  const { row } = lone
  const isCreated = Boolean(stored[insertedAt(row)])
  const counts = isCreated ? { created: 1, updated: 0 } : { created: 0, updated: 1 }
  const answer = { result: row.answer(stored), ...counts }
  const isListenedTo = !writing.engine.hooks.listeners.isEmpty
  if (!row.isFollowed(stored) && !isCreated && !isListenedTo) return answer
  return answerLater(stored, answer, lone, writing)
}

async function answerLater(
  stored: Row,
  answer: Answer,
  { row, form, shape }: LoneUpsert,
  writing: WriteContext,
): Promise<Answer> {
  const { caller: engine, options } = writing
  const keys = readKeys([stored], form.collection, writing)
  const shown = keys.map((key) => shownKeyOf(form.collection, key))
  const rows = { collection: form.collection, keys: shown }
  announceList(answer.created > 0 ? 'create' : 'update', rows, writing)
  // The item is stored, even if what follows fails.
  if (answer.created > 0)
    await attemptOr(
      () => countOn(form.collection, form.layout.fields, keys, writing),
      undefined,
      engine.onError,
    )
  if (!row.isFollowed(stored)) return answer
  noteUpdate(form.collection, form.columns, writing, true)
  const readAgain = async () => itemsWritten(shape, keys, engine, options)
  return { ...answer, result: await attemptOr(readAgain, answer.result, engine.onError) }
}

/** Writes items in a transaction, in their order, and reads them. */
async function writeAll(
  { form, table, texts }: Statements,
  { rows: bound, filled }: BoundUpsert,
  { items: { length: count }, shape }: PlainUpsert,
  writing: WriteContext,
): Promise<Answer> {
  const { collection, layout, change } = form
  const { dialect } = writing.engine
  const width = layout.fields.length
  const written: Row[] = []
  const whole = table()
  const values = rowValues(undefined, change.fields.slice(change.names.length), filled)
  for (const [from, until] of whole ? slicesOf(count) : batchesOf(count, mostRows(width, dialect))) {
    const cells = bound.slice(from * width, until * width)
    const rows = until - from
    const text = whole?.sql ?? texts.get(rows) ?? upsertText(form, rows, dialect)
    if (text === undefined) throw new LostRace()
    if (!whole) texts.set(rows, text)
    const inRows = () => Array.from({ length: rows }, (_, at) => cells.slice(at * width, (at + 1) * width))
    const statement = whole
      ? bindStatement(whole, values.set(givenRowsValue, inRows()))
      : ({ sql: text, parameters: [...cells, ...filled], kind: 'write' } as const)
    written.push(...(await run(writing, statement)))
  }
  if (written.length < count) throw new LostRace()
  const keys: readonly Key[] = readKeys(written, collection, writing)
  // A trigger may have left out a row, and two items may be one for the database.
  if (keyIdentities(keys).size < count) throw new LostRace()
  if (await noteFollowed(form, writing)) throw new LostRace()
  const created = written.filter((row) => Boolean(row[1]))
  // A listener that is added now reads again in any case.
  const isTold = dialect.isInserted !== undefined
  announceRows('create', collection, isTold ? created : written, writing)
  announceRows('update', collection, isTold ? written.filter((row) => !row[1]) : written, writing)
  await countOn(collection, form.layout.fields, readKeys(created, collection, writing), writing)
  const result = await itemsWritten(shape, keys, writing.caller, writing.options)
  return { result, created: created.length, updated: count - created.length }
}

function announceRows(
  action: 'create' | 'update',
  collection: Collection,
  rows: readonly Row[],
  writing: WriteContext,
): void {
  if (rows.length === 0) return
  const keys = readKeys(rows, collection, writing).map((key) => shownKeyOf(collection, key))
  announceList(action, { collection, keys }, writing)
}

/** True if there are triggers by now: some fire before a row is inserted, even if it is updated. From here to the end of the transaction no more
 *  are created. */
async function noteFollowed({ collection, columns }: UpsertForm, writing: WriteContext): Promise<boolean> {
  const [row] = await run(writing, followedStatement(collection, writing.engine.dialect))
  return Boolean(row?.[0]) && noteUpdate(collection, columns, writing, true)
}

/** Maximum number of rows in a statement that does not travel: there, fewer rows cost less than more. */
const mostAtHome = 192

const mostRows = (width: number, { hasOneConnection }: Dialect): number =>
  Math.min(batchSize(width), hasOneConnection ? mostAtHome : Number.POSITIVE_INFINITY)
