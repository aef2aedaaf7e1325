// Updates a row by the one statement that also judges it. Where anything is in the way, it changes nothing, and the general path finds out
// what.

import { sql } from '../../dialects/sql.ts'
import type { Path } from '../../errors/errors.ts'
import type { Key } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import {
  bindItems,
  type ChangeNames,
  changeLayoutOf,
  isNamed,
  type RowLayout,
} from '../../plan/write/row-layout.ts'
import { type Collection, type KeyField, keyOf, partsOf, type StoredField } from '../../schema/model.ts'
import type { ReturnedColumns } from '../../sql/write/returning.ts'
import { rowLock, targetLock } from '../../sql/write/row-locks.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import { rowUpdate } from '../../sql/write/row-writes.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import { holdingOf } from '../authorize/references.ts'
import { isAltered } from '../insert/altered-values.ts'
import { type JudgedRow, judgedRow, shownAt } from '../judged-row.ts'
import type { BoundConditions } from '../obligations/refusals.ts'
import type { NamedFields, RowObligations } from '../obligations/row-obligations.ts'
import { updateObligations } from '../obligations/update-obligations.ts'
import { areTooLong, mostBytes } from '../returned-length.ts'
import {
  bindOpenValues,
  boundBy,
  boundRow,
  judging,
  type RowTemplate,
  type RowTemplates,
  rowTemplate,
  templatesOf,
  type WritingStatement,
} from '../row-template.ts'
import { circumstancesOf, type WriteContext } from '../write-context.ts'
import { isUpdateFollowed } from './side-effects.ts'
import { isDoubtful } from './unchanged-bytes.ts'

/** The update of one item, and the columns that it returns. */
export interface RowChange {
  readonly collection: Collection
  /** The field by which an upsert finds the row. Absent = it is named by its key. */
  readonly by?: KeyField | undefined
  readonly key: Key
  readonly path: Path
  readonly payload: ItemData
  /** Names of the fields to whose stored values it adds. */
  readonly incremented: readonly string[]
  readonly returned: ReturnedColumns
}

/** The statement of an update, bound. */
export interface BoundUpdate extends JudgedRow {
  /** Names of the columns that it writes. */
  readonly columns: readonly string[]
  /** True if a trigger could change what rules have judged: where there is one, nothing is written. */
  readonly isJudged: boolean
  /** Fields whose given values are judged for the stored ones. */
  readonly storedFields: readonly StoredField[]
  readonly bound: BoundConditions
}

interface UpdateStatement extends WritingStatement, ChangeNames {
  readonly by: KeyField | undefined
  readonly layout: RowLayout
  readonly columns: readonly string[]
  readonly rules: RowObligations
  readonly isJudged: boolean
  /** The text of the names of references that are null. */
  readonly empty: string
}

const templates: RowTemplates<UpdateStatement> = new WeakMap()

/** Returns the statement of an update; undefined if one statement alone cannot judge and write it. `owner`: the form of the result. */
export function boundUpdate(
  change: RowChange,
  owner: object,
  writing: WriteContext,
): BoundUpdate | undefined {
  const { collection, key, path, payload, returned } = change
  const template = templateFor(change, owner, writing)
  if (!template) return undefined
  const { layout, rules, columns } = template
  const presets = rules.presets(circumstancesOf(writing))
  if (!presets || !passesValidations(collection, [change], writing)) return undefined
  const item = rules.presetNames.length === 0 ? payload : { ...payload, ...presets }
  const bound = bindItems(layout, [{ payload: item }], writing.moment)
  if (!bound || bound.some(isDoubtful)) return undefined
  if (areTooLong(bound, writing.caller.limits, returned)) return undefined
  const requested = bindOpenValues(template, collection, writing)
  const truths = requested && rules.meets(item, boundBy(requested))
  if (!truths) return undefined
  const statement = boundRow(template, rowValues(key, layout.fields, bound, truths), requested)
  const { storedFields } = rules
  return {
    columns,
    isJudged: template.isJudged,
    storedFields,
    bound: { conditions: rules.conditions, layout, values: statement.values },
    ...judgedRow(statement, { collection, path, payload: item, returned, isKeyed: true }, writing),
  }
}

/** The templates that were used last: mostly the next call is like the last one, and to compare it takes less time than to name it. */
const lastUsed = new WeakMap<object, RowTemplate<UpdateStatement>>()

function templateFor(
  change: RowChange,
  owner: object,
  writing: WriteContext,
): RowTemplate<UpdateStatement> | undefined {
  const isUser = writing.moment.user !== undefined
  const { incremented, collection, payload, by } = change
  const nulls = emptyReferences(collection, payload)
  const empty = nulls.join('\n')
  const last = judging.isByStatement ? lastUsed.get(owner) : undefined
  const isLike = last?.isUser === isUser && last.empty === empty && last.by === by
  if (isLike && isNamed(payload, last.names) && isSame(last.incremented, incremented)) return last
  const names = Object.keys(payload)
  const name = `${isUser} ${[...names, '', ...incremented, '', empty, '', ...namesOf(by)].join('\n')}`
  const template = rowTemplate(templatesOf(templates, owner), { name, collection }, writing, (now) =>
    newStatement(change, { names, incremented, isUser, empty: new Set(nulls) }, writing, now),
  )
  if (template?.isShared) lastUsed.set(owner, template)
  return template
}

const namesOf = (by: KeyField | undefined): readonly string[] =>
  by ? partsOf(by).map(({ name }) => name) : []

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, at) => name === others[at])

/** Returns the names of the references that are null. */
const emptyReferences = (collection: Collection, payload: ItemData): readonly string[] =>
  holdingOf(collection).flatMap(({ name }) => (payload[name] === null ? [name] : []))

function newStatement(
  { collection, by, returned }: RowChange,
  named: ChangeNames & NamedFields,
  { caller, engine }: WriteContext,
  now: Circumstances,
): UpdateStatement | undefined {
  // No rule fills in anything where nothing changes.
  if (named.names.length === 0 || collection.isSingleton) return undefined
  const rules = updateObligations(collection, { ...named, by: 'key', found: namesOf(by) }, caller, now)
  const names = rules && [...named.names, ...rules.presetNames]
  const layout = names && changeLayoutOf(collection, { ...named, names }, caller.dialect)
  if (!layout) return undefined
  const found = { collection, by: by ?? keyOf(collection) }
  const isFollowed = caller.dialect.isFollowed(collection)
  // A trigger could change values that a rule has judged. Where there is one, nothing is written, and nothing returned.
  const isJudged = rules.isValidated || rules.storedFields.length > 0
  const shown = { columns: returned.sql(isJudged ? sql`0` : isFollowed), shownAt: shownAt(returned) }
  const unless = isJudged ? isFollowed : undefined
  const columns = layout.fields.map(({ column }) => column)
  const most = mostBytes(caller.limits)
  const bytes = most === undefined ? undefined : returned.bytesBeside(new Set(columns))
  const isShort = bytes && most !== undefined ? sql`${bytes} <= ${caller.dialect.byteCount(most)}` : undefined
  const statement = rowUpdate(
    { ...found, ...layout },
    { ...rules.conditions, isShort, unless },
    shown,
    engine,
  )
  const targets = rules.locked.flatMap((target) => targetLock(target, engine) ?? [])
  const row = rules.needsLock ? rowLock(found, rules.conditions, 'change', engine) : undefined
  const locks = row ? [row, ...targets] : targets
  const empty = [...named.empty].join('\n')
  return (
    statement && {
      ...named,
      by,
      empty,
      isJudged,
      rules,
      layout,
      columns,
      statement,
      locks,
      judged: rules.beside,
    }
  )
}

/** True if a row may be stored otherwise than it is given, or changes again. */
export const isStoredOtherwise = async (
  { columns, storedFields }: Pick<BoundUpdate, 'columns' | 'storedFields'>,
  collection: Collection,
  writing: WriteContext,
): Promise<boolean> =>
  (await isUpdateFollowed(collection, columns, writing)) ||
  (storedFields.length > 0 && (await isAltered(collection, storedFields, writing)))
