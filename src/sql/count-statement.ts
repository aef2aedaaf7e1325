import { type Sql, sql } from '../dialects/sql.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import { type Frame, innerFrame, type Joins, type Setting, tableOf } from './frame.ts'
import { groupCount } from './groups.ts'
import { rootFrame } from './page/chosen-root.ts'
import { rowsWhere } from './page/pagination.ts'
import { finished, type Statement } from './statement.ts'

export interface Counts {
  readonly total: boolean
  readonly filtered: boolean
  readonly groups: boolean
}

export interface CountStatement extends Statement {
  /** The counts in its columns, in this order. */
  readonly counted: readonly (keyof Counts)[]
}

/** Counts rows: in all, with the list's condition, and in groups. */
export function countStatement(list: ListPlan, setting: Setting, counts: Counts): CountStatement {
  const root = rootFrame(list, setting)
  const parts: Sql[] = []
  if (counts.total) parts.push(sql`(select count(*) from ${tableOf(root)})`)
  if (counts.filtered) parts.push(countOf(list, innerFrame(root, list.collection)))
  if (counts.groups && list.rows.kind === 'groups')
    parts.push(groupCount(list, list.rows, innerFrame(root, list.collection)))
  const { identifier, shownCount } = setting.dialect
  const columns = parts.map((part, index) => sql`${shownCount(part)} as ${identifier(String(index))}`)
  const counted = (['total', 'filtered', 'groups'] as const).filter((name) => counts[name])
  return { ...finished(sql`select ${sql.join(columns, sql`, `)}`, setting), counted }
}

function countOf(list: ListPlan, table: Frame & { readonly joins: Joins }): Sql {
  const where = rowsWhere(list, table, undefined)
  return sql`(select count(*) from ${tableOf(table)}${table.joins.text}${where})`
}
