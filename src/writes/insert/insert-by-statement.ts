// Inserts new items under rules that their values alone decide, without a look at what is stored. Where anything is in the way, nothing is
// inserted, and the general path finds out what.

import type { ItemData } from '../../plan/write/changes.ts'
import { rowLayoutOf } from '../../plan/write/row-layout.ts'
import { type Collection, keyFieldsOf, type StoredField } from '../../schema/model.ts'
import { targetLock } from '../../sql/write/row-locks.ts'
import { rowInsert } from '../../sql/write/row-writes.ts'
import { rowsInsert, targetsLock } from '../../sql/write/rows-writes.ts'
import { isShapedAs, shapeOf } from '../authorize/references.ts'
import {
  judging,
  type RowTemplate,
  type RowTemplates,
  rowTemplate,
  templatesOf,
} from '../context/row-template.ts'
import type { WriteContext } from '../context/write-context.ts'
import { creationObligations } from '../obligations/creation-obligations.ts'
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

/** A new item. */
export interface NewRow {
  readonly collection: Collection
  readonly payload: ItemData
  /** Fields whose values identify an existing row: no row is inserted if there is one. */
  readonly unlessSame?: readonly StoredField[] | undefined
  /** True if it is one of many that a statement inserts together. */
  readonly isOfMany?: boolean
  /** Items that the same call writes with it. */
  readonly around?: WrittenAround
}

export interface InsertStatement extends RowsStatement {
  readonly names: readonly string[]
  readonly empty: ReadonlySet<string>
  /** The text of the names of the fields of which no other row has the same values. */
  readonly same: string
  /** That of what the same call writes with it. */
  readonly beside: string
  readonly isOfMany: boolean
  /** True if a trigger could change what rules have judged: where there is one, nothing is inserted. */
  readonly isJudged: boolean
  /** True if nothing is inserted where a condition is not met. */
  readonly isConditional: boolean
  /** Fields of the key that are not left to the database. */
  readonly keyFields: readonly StoredField[]
}

const templates: RowTemplates<InsertStatement> = new WeakMap()

/** True if the database makes the key of a new item, or all of it is given: of many items only keys that it counts are known to belong to them. */
function isKeyKnown({ collection, payload, isOfMany = false }: NewRow): boolean {
  const { key } = collection
  const fields = keyFieldsOf(collection)
  if (fields.some(({ name }) => Object.hasOwn(payload, name)))
    return fields.every(({ name }) => (payload[name] ?? null) !== null)
  return (
    key?.kind === 'scalar' && (!isOfMany || key.value.family === 'integer' || key.special.includes('uuid'))
  )
}

/** The templates that were used last: mostly the next call is like the last one, and to compare it takes less time than to name it. */
const lastUsed = new WeakMap<object, RowTemplate<InsertStatement>>()

/** Returns the statement of a new item, bound; undefined if its values alone do not decide. */
export function boundInsert(
  row: NewRow,
  form: RowForm,
  writing: WriteContext,
): JudgedRow<InsertStatement> | undefined {
  const template = templateOfNew(row, form, writing)
  const { collection, payload } = row
  return template && judgedRow(template, { collection, payload }, form, writing)
}

/** Returns the statement of new items that name the same fields; undefined if their values alone do not decide. */
export function templateOfNew(
  row: NewRow,
  form: RowForm,
  writing: WriteContext,
): RowTemplate<InsertStatement> | undefined {
  const { columns: returned } = form
  const { collection, payload, unlessSame, isOfMany = false, around = alone } = row
  if (collection.isSingleton || !isKeyKnown(row)) return undefined
  const same = unlessSame?.map((field) => field.name).join('\n') ?? ''
  const beside = besideOf(around)
  const last = judging.isByStatement ? lastUsed.get(form) : undefined
  const isLike = last?.isOfMany === isOfMany && last.same === same && last.beside === beside
  if (isLike && isShapedAs(collection, payload, last)) return last
  const shape = shapeOf(collection, payload)
  const { names, empty } = shape
  const name = `${isOfMany} ${[...names, '', ...empty, '', same, '', beside].join('\n')}`
  const template = rowTemplate(templatesOf(templates, form), { name, collection }, writing, (now) => {
    const { caller, engine } = writing
    const rules = creationObligations(collection, { ...shape, ...around }, caller, now)
    const layout = rules && rowLayoutOf(collection, [...names, ...rules.presetNames], caller.dialect)
    if (!layout) return undefined
    const isFollowed = caller.dialect.isFollowed(collection)
    // A trigger could change values that a rule has judged, or fire though nothing is inserted. Where there is one, nothing is, and nothing returned.
    const isJudged = rules.isValidated || unlessSame !== undefined || rules.isLimited
    const unless = isJudged ? isFollowed : undefined
    // A key alone is returned to callers who may read everything as it is.
    const isFinal = isJudged || (returned.isKeyAlone && !rules.isLimited)
    const isSilent = around.isCounted === true
    const shown = isSilent
      ? undefined
      : { columns: returned.sql(isFinal ? undefined : isFollowed), shownAt: shownAt(returned) }
    const into = { collection, fields: layout.fields }
    const conditions = { ...rules.conditions, unless, unlessSame }
    const statement =
      shown && !isOfMany
        ? rowInsert(into, conditions, shown, engine)
        : rowsInsert(into, conditions, shown, engine)
    const locks = rules.locked.flatMap(
      (target) => (isOfMany ? targetsLock(target, into, engine) : targetLock(target, engine)) ?? [],
    )
    return (
      statement && {
        ...shape,
        ...{ same, beside, isOfMany },
        rules,
        isJudged,
        isConditional: rules.isLimited || unlessSame !== undefined,
        keyFields: keyFieldsOf(collection).filter((field) => layout.fields.includes(field)),
        layout,
        statement,
        locks,
        isSilent,
        judged: rules.beside,
      }
    )
  })
  if (template?.isShared) lastUsed.set(form, template)
  return template
}
