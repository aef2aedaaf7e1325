// Deletes the rows with some keys by one statement that also judges them: all of them, or none.

import type { Cell } from '../../dialects/phrase-types.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import { affect } from '../../execution/execute.ts'
import { orElse, soon } from '../../execution/soon.ts'
import { type Key, keyIdentities, keyIdentity, storedKey } from '../../plan/key.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, keyFieldsOf, keyOf } from '../../schema/model.ts'
import {
  reportingDeletion,
  rowDeletion,
  rowsDeletion,
  rowsRemovalLock,
} from '../../sql/write/row-deletions.ts'
import { rowLock } from '../../sql/write/row-locks.ts'
import { rowValues, valuesOfKeys } from '../../sql/write/row-values.ts'
import { constraintErrorOf } from '../authorize/constraint-error.ts'
import { isVisible } from '../authorize/visible-keys.ts'
import { ofRows } from '../context/in-halves.ts'
import { missing } from '../context/named-key.ts'
import { canUndo } from '../context/retry.ts'
import {
  areCounted,
  bindOpenValues,
  boundRow,
  type RowTemplate,
  type RowTemplates,
  rowTemplate,
  runRows,
  templatesOf,
  type WritingStatement,
} from '../context/row-template.ts'
import { isUnattended, takesTransaction } from '../context/single-statement.ts'
import type { WriteContext } from '../context/write-context.ts'
import { type Affected, affectedResult, type BulkBounds, refuseTooMany } from '../lists/affected-rows.ts'
import { deletionObligations } from '../obligations/deletion-obligations.ts'
import type { RowObligations } from '../obligations/row-obligations.ts'
import { UnsureRows } from '../program/rows-together.ts'
import type { Program } from '../program/run-program.ts'
import { announceDeleted, runAlone } from '../stored/announce.ts'
import { readKeys, whyNone } from '../stored/rows-by-key.ts'
import { shownElements } from '../stored/select-keys.ts'
import { hasTriggers, knownTriggers } from '../stored/side-effects.ts'
import { deleteVersionsOf } from './delete-versions.ts'
import { isLeftToHooks, runHooks } from './deletion-hooks.ts'

interface NamedDeletion extends WritingStatement {
  readonly rules: RowObligations
  /** True if it reports all rows in one: their number, and their keys where these may be spelled in several ways. */
  readonly isTelling?: boolean
  /** The reader of the reported keys. */
  readonly read?: Cell['read'] | undefined
}

/** A deletion of one row; of several in a transaction, and of those that it has found by their only spellings; or of several without one, which deletes
 *  nothing where triggers might keep a row. */
type Form = 'one' | 'several' | 'found' | 'alone'

interface NamedRows {
  readonly collection: Collection
  readonly keys: readonly Key[]
}

const templates: RowTemplates<NamedDeletion> = new WeakMap()

/** Returns the deletion of the rows with some keys; undefined if one statement cannot judge them. */
export function namedDeletion(
  named: NamedRows,
  writing: WriteContext,
  bounds: BulkBounds,
): Program<Affected> | undefined {
  const { collection, keys } = named
  const [only, ...others] = keys
  refuseTooMany(keys.length, bounds)
  if (bounds.dryRun || only === undefined || !canUndo(writing.caller)) return undefined
  const isOne = others.length === 0
  const isHooked = takesTransaction(writing.engine, 'items.delete', collection)
  if (isHooked && !(isOne && hasExactKey(collection) && isLeftToHooks(collection, writing))) return undefined
  const within = templateFor(isOne ? 'one' : 'several', collection, writing)
  if (!within) return undefined
  const alone = isOne ? within : guardedFor(collection, writing)
  const isAlone = !writing.caller.unit && !collection.isVersioned && !isHooked
  return {
    alone: async (outside) => {
      const affected = isAlone && alone ? await deleteBy(alone, named, outside) : undefined
      if (affected || !isAlone || !alone) return affected
      // Without rules the row itself is missing.
      if (isOne && isUnattended(outside.caller, 'items.delete', collection))
        throw await whyNone(collection, only, outside)
      if (!isOne && (await hasTriggers(collection, outside))) return undefined
      throw new UnsureRows()
    },
    within: async (inside) => {
      if (isHooked) await runHooks(collection, only, inside)
      const affected = await deleteBy(within, named, inside)
      if (affected) return affected
      // An item that a hook has taken away is not there, and hooks are not called again for it.
      throw isHooked && !(await isVisible(collection, only, inside)) ? missing() : new UnsureRows()
    },
  }
}

/** Returns the deletion that takes no transaction. Keys that may be spelled in several ways are compared with those of the rows before a commit. */
const guardedFor = (collection: Collection, writing: WriteContext): RowTemplate<NamedDeletion> | undefined =>
  hasExactKey(collection) && !knownTriggers(collection, writing)
    ? templateFor('alone', collection, writing)
    : undefined

/** True if each key has one spelling, and rows store it so. */
const hasExactKey = (collection: Collection): boolean =>
  keyFieldsOf(collection).every(
    ({ value: { family, storage } }) => storage === undefined && (family === 'integer' || family === 'uuid'),
  )

const templateFor = (
  form: Form,
  collection: Collection,
  writing: WriteContext,
): RowTemplate<NamedDeletion> | undefined =>
  rowTemplate(
    templatesOf(templates, writing.caller.templates),
    { name: nameOf(form, collection), collection },
    writing,
    (now) => {
      const rules = deletionObligations(collection, writing.caller, now)
      const made = rules && statementsOf(form, collection, rules, writing.engine)
      return made && { ...made, rules }
    },
  )

const nameOf = (form: Form, { name }: Collection) => `${form} ${name}`

function statementsOf(
  form: Form,
  collection: Collection,
  { conditions, needsLock, beside: judged }: RowObligations,
  engine: EngineInternals,
): Omit<NamedDeletion, 'rules'> | undefined {
  if (form === 'one') {
    const statement = rowDeletion(collection, conditions, engine)
    const lock = needsLock
      ? rowLock({ collection, by: keyOf(collection) }, conditions, 'removal', engine)
      : undefined
    return statement && { statement, locks: lock ? [lock] : [], judged }
  }
  const isGuarded = form === 'alone'
  const telling = { hasKeys: !hasExactKey(collection), isGuarded }
  const whole = reportingDeletion(collection, conditions, telling, engine)
  const isSilent = form === 'found' && areCounted(engine.dialect)
  const statement = isGuarded ? undefined : rowsDeletion(collection, conditions, isSilent, engine)
  const lock = needsLock ? rowsRemovalLock(collection, conditions, engine) : undefined
  const locks = lock ? [lock] : []
  return whole
    ? { ...whole, isTelling: true, locks, judged }
    : statement && { statement, locks, isSilent, judged }
}

/** Returns what must hold for rows that are deleted together; undefined if one statement cannot judge them. */
export const removalRules = (collection: Collection, writing: WriteContext): RowObligations | undefined =>
  templateFor('found', collection, writing)?.rules

/** Deletes rows in a transaction that has found them, all of them or none, and returns their keys. They are reported by the caller. */
export async function removeNamed(named: NamedRows, inside: WriteContext): Promise<readonly Key[]> {
  const isOne = named.keys.length === 1 && !areCounted(inside.engine.dialect)
  const template = templateFor(isOne ? 'one' : 'found', named.collection, inside)
  const gone = template && (await goneBy(template, named, inside))
  if (!gone) throw new UnsureRows()
  return gone
}

/** Deletes rows and reports them; undefined if not all of them are there and may be deleted. */
async function deleteBy(
  template: RowTemplate<NamedDeletion>,
  named: NamedRows,
  writing: WriteContext,
): Promise<Affected | undefined> {
  const { collection } = named
  const gone = await goneBy(template, named, writing)
  if (!gone) return undefined
  await announceDeleted(collection, gone, writing)
  return affectedResult(collection, gone)
}

/** Deletes rows; undefined if not all of them are there and may be deleted. */
async function goneBy(
  template: RowTemplate<NamedDeletion>,
  named: NamedRows,
  writing: WriteContext,
): Promise<readonly Key[] | undefined> {
  const { collection, keys } = named
  const requested = bindOpenValues(template, collection, writing)
  if (!requested) return undefined
  const [only, ...others] = keys
  const isOne = others.length === 0 && !template.isSilent
  const bound = boundRow(template, isOne ? rowValues(only, [], []) : valuesOfKeys(keys), requested)
  const fail = (error: unknown) => failOf(error, named, writing)
  const gone = template.isSilent
    ? await orElse(
        () =>
          soon(affect(writing.engine, bound.statement, writing.options), (count) =>
            count === keys.length ? keys : undefined,
          ),
        fail,
      )
    : deletedKeys(
        await runAlone('delete', named, writing, () => runRows(bound, fail, writing)),
        template,
        named,
        writing,
      )
  if (gone) await deleteVersionsOf(collection, gone, writing)
  return gone
}

/** Returns the keys of the deleted rows as they spelled them, in the order of the call; undefined if these are not all rows that it names. */
function deletedKeys(
  rows: readonly Row[],
  { isTelling, read }: NamedDeletion,
  { collection, keys }: NamedRows,
  writing: WriteContext,
): readonly Key[] | undefined {
  const [first] = rows
  const count = isTelling ? Number(first?.[0]) : rows.length
  if (count !== keys.length) return undefined
  if (isTelling && hasExactKey(collection)) return keys
  const found = isTelling
    ? shownElements(JSON.parse(String(first?.[1] ?? '[]')), read)?.map((shown) =>
        storedKey(collection, shown),
      )
    : readKeys(rows, collection, writing)
  if (!found || keys.length === 1) return found
  const identities = keyIdentities(found)
  return identities.size === count && keys.every((key) => identities.has(keyIdentity(key))) ? keys : undefined
}

async function failOf(
  error: unknown,
  { collection, keys }: NamedRows,
  writing: WriteContext,
): Promise<never> {
  const { dialect } = writing.engine
  const isRefused = error instanceof Error && dialect.refusesLock?.(error.cause)
  const breach = await constraintErrorOf(error, { collection, isDeletion: true }, writing)
  // Of several rows, a missing one is reported before one that the database keeps.
  const isOfRow = isEngineError(breach) && ofRows.has(breach.code)
  if (keys.length === 1 || !(isRefused || isOfRow)) throw breach
  // Without rules, rows can also be deleted by callers that may not lock them.
  if (isRefused)
    for (const form of ['several', 'found', 'alone'] as const)
      templatesOf(templates, writing.caller.templates).set(nameOf(form, collection), 'none')
  throw new UnsureRows()
}
