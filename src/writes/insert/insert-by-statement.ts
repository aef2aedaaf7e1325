// Inserts new items under rules that their values alone decide, without a look at what is stored. Where anything is in the way, nothing is
// inserted, and the general path finds out what.

import type { ItemData } from '../../plan/changes.ts'
import { readPayload } from '../../plan/payload.ts'
import { isAlways, type TestOperand } from '../../plan/predicate.ts'
import { bindItems, type RowLayout, rowLayoutOf } from '../../plan/row-layout.ts'
import { testsIn, withTests } from '../../plan/walk.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, soleKeyOf } from '../../schema/model.ts'
import type { ReturnedColumns } from '../../sql/returning.ts'
import { rowInsert, rowValues } from '../../sql/row-writes.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import { type CreationRules, creationRules } from '../authorize/statement-rules.ts'
import { constraintErrorOf } from '../constraint-error.ts'
import { missingTargetField } from '../missing-target.ts'
import {
  boundQuestions,
  boundRow,
  type RowTemplates,
  rowTemplate,
  runRow,
  type WritingStatement,
} from '../row-template.ts'
import { circumstancesOf, type WriteContext } from '../write-context.ts'

/** A new item, and the columns that its statement returns. */
export interface NewRow {
  readonly collection: Collection
  readonly given: ItemData
  readonly returned: ReturnedColumns
}

/** The statement of an insert, bound. */
export interface BoundInsert {
  readonly run: () => Row | undefined | Promise<Row | undefined>
  /** True if a row is visible to the caller. */
  readonly isShown: (row: Row) => boolean
}

interface InsertStatement extends WritingStatement {
  readonly layout: RowLayout
  readonly rules: CreationRules
}

const templates: RowTemplates<InsertStatement> = new WeakMap()

/** Returns the statement of a new item; undefined if its values alone do not decide. `owner`: the form of the result. */
export function boundInsert(
  { collection, given, returned }: NewRow,
  owner: object,
  writing: WriteContext,
): BoundInsert | undefined {
  const { key, isSingleton } = collection
  if (isSingleton || key?.kind !== 'scalar' || key.value.family !== 'integer') return undefined
  const names = Object.keys(given)
  if (names.includes(soleKeyOf(collection).name)) return undefined
  const template = rowTemplate(templates, owner, names.join('\n'), collection, writing, (now) => {
    const { caller, engine } = writing
    const rules = creationRules(collection, names, caller, now)
    const layout = rules && rowLayoutOf(collection, [...names, ...rules.presetNames], caller.dialect)
    if (!layout) return undefined
    const isFollowed = caller.dialect.isFollowed(collection)
    const shown = { columns: returned.sql(isFollowed), shownAt: shownAt(returned) }
    // A trigger could change values that a rule has judged.
    const unless = isAlways(rules.filter) ? undefined : isFollowed
    const statement = rowInsert(collection, layout.fields, rules.shown, unless, shown, engine)
    return statement && { rules, layout, statement, judged: testsIn(rules.filter) }
  })
  if (!template) return undefined
  const { layout, rules } = template
  const presets = rules.presets(circumstancesOf(writing))
  const asked = boundQuestions(template, collection, writing)
  if (!presets || !asked || !passesValidations(collection, [{ given }], writing)) return undefined
  const item = rules.presetNames.length === 0 ? given : { ...given, ...presets }
  const bound = bindItems(layout, [{ given: item }], writing.moment)
  const filter = withTests(rules.filter, (test) => ({
    ...test,
    // The answer to a test is an operand.
    operand: (asked.get(test) ?? test.operand) as TestOperand,
  }))
  if (!bound || !rules.passes(item, filter)) return undefined
  const statement = boundRow(template, rowValues(undefined, layout.fields, bound), asked)
  return {
    run: () => runRow(statement, (error) => failOf(error, collection, item, writing), writing),
    isShown: (row) => Boolean(row[shownAt(returned)]),
  }
}

/** Position of the flag behind all that is returned otherwise. */
const shownAt = ({ followedAt }: ReturnedColumns): number => followedAt + 1

async function failOf(
  error: unknown,
  collection: Collection,
  item: ItemData,
  writing: WriteContext,
): Promise<never> {
  const { problems } = writing
  const values = () => readPayload(item, { collection, path: [], problems, isKeyed: false }).values
  throw await constraintErrorOf(error, collection, [], writing, () =>
    missingTargetField(collection, [values()], writing),
  )
}
