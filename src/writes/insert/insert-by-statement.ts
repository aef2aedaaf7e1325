// Inserts new items under rules that their values alone decide, without a look at what is stored. Where anything is in the way, nothing is
// inserted, and the general path finds out what.

import { sql } from '../../dialects/sql.ts'
import type { Path } from '../../errors/errors.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { bindItems, type RowLayout, rowLayoutOf } from '../../plan/write/row-layout.ts'
import { type Collection, keyFieldsOf, type StoredField } from '../../schema/model.ts'
import type { ReturnedColumns } from '../../sql/write/returning.ts'
import { targetLock } from '../../sql/write/row-locks.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import { rowInsert } from '../../sql/write/row-writes.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import { type JudgedRow, judgedRow, shownAt } from '../judged-row.ts'
import { creationObligations } from '../obligations/creation-obligations.ts'
import type { NewRowObligations } from '../obligations/row-obligations.ts'
import { areTooLong } from '../returned-length.ts'
import {
  bindOpenValues,
  boundBy,
  boundRow,
  type RowTemplates,
  rowTemplate,
  templatesOf,
  type WritingStatement,
} from '../row-template.ts'
import { circumstancesOf, type WriteContext } from '../write-context.ts'

/** A new item, and the columns that its statement returns. */
export interface NewRow {
  readonly collection: Collection
  readonly path: Path
  readonly payload: ItemData
  readonly returned: ReturnedColumns
  /** Fields of which no other row has the same values: nothing is inserted beside one. */
  readonly unlessSame?: readonly StoredField[] | undefined
}

/** The statement of a new item, bound. */
export interface BoundInsert extends JudgedRow {
  /** True if a trigger could change what rules have judged: where there is one, nothing is inserted. */
  readonly isJudged: boolean
  /** Fields whose given values are judged for the stored ones. */
  readonly storedFields: readonly StoredField[]
  /** Fields of the key that are not left to the database. */
  readonly keyFields: readonly StoredField[]
}

interface InsertStatement extends WritingStatement {
  readonly layout: RowLayout
  readonly rules: NewRowObligations
  readonly isJudged: boolean
}

const templates: RowTemplates<InsertStatement> = new WeakMap()

const listed = (names: readonly string[]): readonly string[] => [...names, '']

/** True if the database counts the key of a new item, or all of it is given. */
function isKeyKnown(collection: Collection, payload: ItemData): boolean {
  const { key } = collection
  const fields = keyFieldsOf(collection)
  if (fields.some(({ name }) => Object.hasOwn(payload, name)))
    return fields.every(({ name }) => (payload[name] ?? null) !== null)
  return key?.kind === 'scalar' && key.value.family === 'integer'
}

/** Returns the names of the fields of an item that are null. */
export const emptyNames = (payload: ItemData): ReadonlySet<string> =>
  new Set(Object.keys(payload).filter((name) => payload[name] === null))

/** Returns the statement of a new item; undefined if its values alone do not decide. `owner`: the form of the result. */
export function boundInsert(
  { collection, path, payload, returned, unlessSame }: NewRow,
  owner: object,
  writing: WriteContext,
): BoundInsert | undefined {
  if (collection.isSingleton || !isKeyKnown(collection, payload)) return undefined
  const names = Object.keys(payload)
  const empty = emptyNames(payload)
  const name = [names, [...empty], unlessSame?.map((field) => field.name) ?? []].flatMap(listed).join('\n')
  const template = rowTemplate(templatesOf(templates, owner), { name, collection }, writing, (now) => {
    const { caller, engine } = writing
    const rules = creationObligations(collection, { names, empty }, caller, now)
    const layout = rules && rowLayoutOf(collection, [...names, ...rules.presetNames], caller.dialect)
    if (!layout) return undefined
    const isFollowed = caller.dialect.isFollowed(collection)
    // A trigger could change values that a rule has judged, or fire though nothing is inserted. Where there is one, nothing is, and nothing returned.
    const isJudged = rules.isValidated || unlessSame !== undefined
    const unless = isJudged ? isFollowed : undefined
    const shown = { columns: returned.sql(isJudged ? sql`0` : isFollowed), shownAt: shownAt(returned) }
    const conditions = { ...rules.conditions, unless, unlessSame }
    const statement = rowInsert({ collection, fields: layout.fields }, conditions, shown, engine)
    const locks = rules.locked.flatMap((target) => targetLock(target, engine) ?? [])
    return statement && { rules, isJudged, layout, statement, locks, judged: rules.beside }
  })
  if (!template) return undefined
  const { layout, rules } = template
  const presets = rules.presets(circumstancesOf(writing))
  const requested = bindOpenValues(template, collection, writing)
  if (!presets || !requested || !passesValidations(collection, [{ payload }], writing)) return undefined
  const item = rules.presetNames.length === 0 ? payload : { ...payload, ...presets }
  const bound = bindItems(layout, [{ payload: item }], writing.moment)
  const truths = bound && rules.meets(item, boundBy(requested))
  if (!bound || !truths) return undefined
  if (areTooLong(bound, writing.caller.limits, returned)) return undefined
  const statement = boundRow(template, rowValues(undefined, layout.fields, bound, truths), requested)
  const written = { collection, path, payload: item, returned, isKeyed: false }
  const { isJudged } = template
  const keyFields = keyFieldsOf(collection).filter((field) => layout.fields.includes(field))
  return { isJudged, keyFields, storedFields: rules.storedFields, ...judgedRow(statement, written, writing) }
}
