import { sql } from '../../dialects/sql.ts'
import { always, type Predicate } from '../../plan/filter/predicate.ts'
import type { Key } from '../../plan/key.ts'
import { type Collection, keyOf } from '../../schema/model.ts'
import { filterSql } from '../filter.ts'
import { type Setting, tableName } from '../frame.ts'
import { type Statement, writtenWith } from '../statement.ts'
import { isAmong, storedColumn } from '../stored-column.ts'
import { phrasesOf } from '../tuple.ts'
import { newValue } from './row-values.ts'
import { type RowConditions, rowFrame, type TargetCondition, targetSql, testsOf } from './row-writes.ts'

/** Reads which conditions hold for a stored row, in a cell each: those on the row, one of its alternatives, and those on what new values refer
 *  to. A reference that stays as it is holds. */
export function rowTruths(
  collection: Collection,
  key: Key,
  { rows, alternatives, targets }: RowConditions & { readonly rows: readonly Predicate[] },
  setting: Setting,
): Statement {
  const { dialect } = setting
  const frame = rowFrame(collection, setting)
  const stays = ({ field }: TargetCondition) => {
    const column = storedColumn(field, dialect)
    return phrasesOf(column, dialect).compare(column, '=', () => newValue(field, dialect))
  }
  const ways = testsOf({ seen: always, shown: always, alternatives, targets: [] }, frame)
  const tests = [
    ...rows.map((row) => filterSql(row, frame)),
    sql.join([filterSql(always, frame), ...ways], sql` and `),
    ...targets.map((target) => sql`${targetSql(target, frame)} or ${stays(target)}`),
  ]
  const cells = tests.map(
    (test, at) => sql`case when ${test} then 1 end as ${dialect.identifier(String(at))}`,
  )
  const where = isAmong(keyOf(collection), [key], dialect)
  const text = sql`select ${sql.join(cells, sql`, `)} from ${tableName(collection, dialect)} where ${where}`
  return writtenWith(text, dialect)
}
