// Updates a row by the one statement that also judges it. Where anything is in the way, it changes nothing, and the general path finds out
// what.

import { sql } from '../../dialects/sql.ts'
import type { Key } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { bindItems, changeLayoutOf, type RowLayout } from '../../plan/write/row-layout.ts'
import type { Collection } from '../../schema/model.ts'
import type { ReturnedColumns } from '../../sql/write/returning.ts'
import { rowLock, rowUpdate, rowValues } from '../../sql/write/row-writes.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import { type StatementRules, updateRules } from '../authorize/statement-rules.ts'
import { type JudgedRow, judgedRow, shownAt } from '../judged-row.ts'
import { areTooLong, mostBytes } from '../returned-length.ts'
import {
  bindOpenValues,
  boundRow,
  type RowTemplates,
  rowTemplate,
  type WritingStatement,
} from '../row-template.ts'
import { circumstancesOf, type WriteContext } from '../write-context.ts'
import { isDoubtful } from './unchanged-bytes.ts'

/** The update of one item, and the columns that it returns. */
export interface RowChange {
  readonly collection: Collection
  readonly key: Key
  readonly payload: ItemData
  readonly returned: ReturnedColumns
}

/** The statement of an update, bound. */
export interface BoundUpdate extends JudgedRow {
  /** Names of the columns that it writes. */
  readonly columns: readonly string[]
}

interface UpdateStatement extends WritingStatement {
  readonly layout: RowLayout
  readonly columns: readonly string[]
  readonly rules: StatementRules
}

const templates: RowTemplates<UpdateStatement> = new WeakMap()

/** Returns the statement of an update; undefined if one statement alone cannot judge and write it. `owner`: the form of the result. */
export function boundUpdate(
  change: RowChange,
  owner: object,
  writing: WriteContext,
): BoundUpdate | undefined {
  const { collection, key, payload, returned } = change
  const names = Object.keys(payload)
  const isUser = writing.moment.user !== undefined
  const template = rowTemplate(
    templates,
    owner,
    `${isUser} ${names.join('\n')}`,
    collection,
    writing,
    (now) => {
      // No rule fills in anything where nothing changes.
      if (names.length === 0 || collection.isSingleton) return undefined
      const { caller, engine } = writing
      const rules = updateRules(collection, names, caller, now)
      const layout =
        rules && changeLayoutOf(collection, [...names, ...rules.presetNames], caller.dialect, isUser)
      if (!layout) return undefined
      const list = returned.sql(caller.dialect.isFollowed(collection))
      const shown = { columns: list, shownAt: shownAt(returned) }
      const most = mostBytes(caller.limits)
      const bytes = most === undefined ? undefined : returned.bytesBeside(new Set(layout.fields))
      const isShort =
        bytes && most !== undefined ? sql`${bytes} <= ${caller.dialect.byteCount(most)}` : undefined
      const statement = rowUpdate(collection, layout.fields, rules.conditions, shown, engine, isShort)
      const columns = layout.fields.map(({ column }) => column)
      const lock = rules.needsLock
        ? rowLock(collection, rules.conditions.written, 'change', engine)
        : undefined
      return (
        statement && { rules, layout, columns, statement, locks: lock ? [lock] : [], judged: rules.implied }
      )
    },
  )
  if (!template) return undefined
  const { layout, rules, columns } = template
  const presets = rules.presets(circumstancesOf(writing))
  if (!presets || !passesValidations(collection, [change], writing)) return undefined
  const item = rules.presetNames.length === 0 ? payload : { ...payload, ...presets }
  const bound = bindItems(layout, [{ payload: item }], writing.moment)
  if (!bound || bound.some(isDoubtful) || !rules.passes(item)) return undefined
  if (areTooLong(bound, writing.caller.limits, returned)) return undefined
  const requested = bindOpenValues(template, collection, writing)
  if (!requested) return undefined
  const statement = boundRow(template, rowValues(key, layout.fields, bound), requested)
  return { columns, ...judgedRow(statement, { collection, payload: item, returned, isKeyed: true }, writing) }
}
