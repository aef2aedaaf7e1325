// Updates a row by the one statement that also judges it. Where anything is in the way, it changes nothing, and the general path finds out
// what.

import { sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Key } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import { addedForms, addsToStaleRows, type ChangeNames, changeLayoutOf } from '../../plan/write/row-layout.ts'
import { type Collection, type KeyField, keyOf, partsOf, type StoredField } from '../../schema/model.ts'
import { orderGuard } from '../../sql/write/returning.ts'
import { rowLock, targetLock } from '../../sql/write/row-locks.ts'
import { type FoundRow, type RowReturn, rowUpdate } from '../../sql/write/row-writes.ts'
import { rowsLock, rowsSelect, rowsUpdate, targetsLock } from '../../sql/write/rows-writes.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { isShapedAs, shapeOf } from '../authorize/references.ts'
import {
  areCounted,
  judging,
  type RowTemplate,
  type RowTemplates,
  rowTemplate,
  templatesOf,
} from '../context/row-template.ts'
import type { WriteContext } from '../context/write-context.ts'
import type { NamedFields, RowObligations } from '../obligations/row-obligations.ts'
import { updateObligations } from '../obligations/update-obligations.ts'
import {
  alone,
  besideOf,
  type JudgedRow,
  judgedRow,
  type RowForm,
  type RowsStatement,
  shownAt,
  type WrittenAround,
} from '../program/judged-row.ts'
import { mostBytes } from '../program/returned-length.ts'
import { isDoubtful } from '../program/unchanged-bytes.ts'

/** The update of one item. */
export interface RowChange {
  readonly collection: Collection
  /** The field by which an upsert finds the row. Absent = it is named by its key. */
  readonly by?: KeyField | undefined
  readonly key: Key
  readonly payload: ItemData
  /** True if it is one of many that a statement writes together. */
  readonly isOfMany?: boolean
  /** True if all of these get the same values. */
  readonly isAlike?: boolean
  /** Items that the same call writes with it. */
  readonly around?: WrittenAround | undefined
}

export interface UpdateStatement extends RowsStatement, ChangeNames {
  readonly by: KeyField | undefined
  /** Names of the columns that it writes. */
  readonly columns: readonly string[]
  /** True if a trigger could change what rules have judged: where there is one, nothing is written. */
  readonly isJudged: boolean
  readonly empty: ReadonlySet<string>
  /** The text of what the same call writes with it. */
  readonly beside: string
  readonly isOfMany: boolean
  readonly isAlike: boolean
}

const templates: RowTemplates<UpdateStatement> = new WeakMap()

/** Returns the statement of an update, bound; undefined if one statement alone cannot judge and write it. */
export function boundUpdate(
  change: RowChange,
  form: RowForm,
  writing: WriteContext,
): JudgedRow<UpdateStatement> | undefined {
  const template = templateFor(change, form, writing)
  const judged = template && judgedRow(template, change, form, writing)
  return judged?.bound.some(isDoubtful) ? undefined : judged
}

/** The templates that were used last: mostly the next call is like the last one, and to compare it takes less time than to name it. */
const lastUsed = new WeakMap<object, RowTemplate<UpdateStatement>>()

export function templateFor(
  change: Omit<RowChange, 'key'>,
  form: RowForm,
  writing: WriteContext,
): RowTemplate<UpdateStatement> | undefined {
  const { collection, payload } = change
  const { dialect } = writing.caller
  const incremented = incrementedNames(collection, payload)
  const forms = addedForms(collection, payload, incremented, dialect)
  const isUser = writing.moment.user !== undefined
  const last = judging.isByStatement ? lastUsed.get(form) : undefined
  const isLike =
    last?.isUser === isUser && isSame(last.incremented, incremented) && isSame(last.forms ?? [], forms)
  if (isLike && isWrittenAs(change, last) && isShapedAs(collection, payload, last)) return last
  const { by, isOfMany = false, isAlike = false, around = alone } = change
  const shape = shapeOf(collection, payload)
  const { names, empty } = shape
  const name = `${isUser} ${isOfMany} ${isAlike} ${[...names, '', ...incremented, '', ...forms, '', ...empty, '', ...namesOf(by), '', besideOf(around)].join('\n')}`
  const template = rowTemplate(templatesOf(templates, form), { name, collection }, writing, (now) =>
    newStatement(change, { ...shape, incremented, forms, isUser, ...around }, form, { writing, now }),
  )
  if (template?.isShared) lastUsed.set(form, template)
  return template
}

/** True if a change is found, and written with others, as one for which a statement was made. */
const isWrittenAs = (
  { by, isOfMany = false, isAlike = false, around = alone }: Omit<RowChange, 'key'>,
  last: UpdateStatement,
): boolean =>
  last.by === by && last.isOfMany === isOfMany && last.isAlike === isAlike && last.beside === besideOf(around)

const namesOf = (by: KeyField | undefined): readonly string[] =>
  by ? partsOf(by).map(({ name }) => name) : []

const isSame = (some: NonNullable<ChangeNames['forms']>, others: typeof some): boolean =>
  some.length === others.length && some.every((name, at) => name === others[at])

function newStatement(
  { collection, by, isOfMany = false, isAlike = false, around = alone }: Omit<RowChange, 'key'>,
  named: ChangeNames & NamedFields,
  { columns: returned }: RowForm,
  { writing: { caller, engine }, now }: { readonly writing: WriteContext; readonly now: Circumstances },
): UpdateStatement | undefined {
  // No rule fills in anything where nothing changes.
  if (named.names.length + around.nested.length === 0 || collection.isSingleton) return undefined
  const rules = updateObligations(collection, { ...named, found: namesOf(by) }, caller, now)
  const names = rules && [...named.names, ...rules.presetNames]
  const layout = names && changeLayoutOf(collection, { ...named, names }, caller.dialect)
  if (!layout) return undefined
  const found = { collection, by: by ?? keyOf(collection) }
  const isFollowed = caller.dialect.isFollowed(collection)
  // A trigger could change values that a rule has judged. Where there is one, nothing is written, and nothing returned.
  const isJudged = rules.isValidated || rules.storedFields.length > 0
  const isFinal = isJudged || (isOfMany && layout.fields.length > 0)
  const shown = { columns: returned.sql(isFinal ? undefined : isFollowed), shownAt: shownAt(returned) }
  const unless = isJudged ? isFollowed : undefined
  const columns = layout.fields.map(({ column }) => column)
  const most = mostBytes(caller.limits)
  // What is added to is as long as it was, and as what is added.
  const replaced = layout.fields.filter((field) => !layout.added.has(field)).map(({ column }) => column)
  const bytes = most === undefined ? undefined : returned.bytesBeside(new Set(replaced))
  const isShort = bytes && most !== undefined ? sql`${bytes} <= ${caller.dialect.byteCount(most)}` : undefined
  // Lists beside a row are read once the statement has not to wait for it any more.
  const mayWait = returned.hasLists && !caller.dialect.writeLock
  if (mayWait && !caller.dialect.lockRows) return undefined
  const needsLock = rules.needsLock || mayWait || addsToStaleRows(collection, named, caller.dialect)
  const written = isOfMany
    ? statementOfMany(
        { ...found, ...layout, isAlike },
        { ...rules, needsLock },
        { returned: shown, isHeld: around.owner !== undefined, isPartial: by !== undefined },
        engine,
      )
    : {
        statement: rowUpdate(
          { ...found, ...layout },
          { ...rules.conditions, isShort, unless },
          shown,
          engine,
        ),
        row: needsLock ? rowLock(found, rules.conditions, 'change', engine) : undefined,
        targets: rules.locked.flatMap((target) => targetLock(target, engine) ?? []),
        isSilent: false,
      }
  const { statement, row, targets, isSilent } = written
  const locks = row ? [row, ...targets] : targets
  return (
    statement && {
      ...named,
      by,
      beside: besideOf(around),
      isOfMany,
      isAlike,
      isJudged,
      rules,
      layout,
      columns,
      statement,
      locks,
      isSilent,
      isPartial: isOfMany && by !== undefined,
      judged: rules.beside,
    }
  )
}

interface WritingOfMany {
  readonly returned: RowReturn
  /** True if the call has locked the rows. */
  readonly isHeld: boolean
  /** True if rows that are not there stand in no way of the others. */
  readonly isPartial: boolean
}

/** Rows are locked in the order of their keys, as everybody locks them: by the statement itself, unless they are judged behind the lock. Children of an item
 *  were locked when they were found. */
function statementOfMany(
  rows: FoundRow & { readonly fields: readonly StoredField[]; readonly isAlike: boolean },
  { conditions, locked, needsLock }: RowObligations,
  { isHeld, isPartial, returned }: WritingOfMany,
  engine: EngineInternals,
) {
  const { collection, fields } = rows
  if (fields.length === 0)
    return {
      statement: rowsSelect(rows, { conditions, returned }, engine),
      row: needsLock ? rowsLock(rows, conditions, engine) : undefined,
      targets: [],
      isSilent: false,
    }
  const columns = fields.map(({ column }) => column)
  const unless = orderGuard(collection, { columns, isAlike: rows.isAlike }, engine.dialect)
  const isSilent = isHeld && areCounted(engine.dialect)
  const held = isHeld || needsLock ? undefined : isPartial ? 'some' : 'all'
  return {
    isSilent,
    statement: unless && rowsUpdate(rows, { unless, held }, { conditions, returned, isSilent }, engine),
    row: needsLock && !isHeld ? rowsLock(rows, conditions, engine) : undefined,
    targets: locked.flatMap(
      (target) => (rows.isAlike ? targetLock(target, engine) : targetsLock(target, rows, engine)) ?? [],
    ),
  }
}
