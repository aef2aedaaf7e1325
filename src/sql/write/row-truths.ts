import { type Sql, sql } from '../../dialects/sql.ts'
import { always, anyOf, decided, type Predicate } from '../../plan/filter/predicate.ts'
import type { Key } from '../../plan/key.ts'
import { type Collection, keyOf } from '../../schema/model.ts'
import { filterSql } from '../filter.ts'
import { type Setting, tableName } from '../frame.ts'
import { type Statement, writtenWith } from '../statement.ts'
import { isAmong, storedColumn } from '../stored-column.ts'
import { phrasesOf } from '../tuple.ts'
import { newValue } from './row-values.ts'
import { type RowConditions, rowFrame, type TargetCondition, targetSql, testsOf } from './row-writes.ts'

/** Reads which conditions hold for a stored row, in a cell each: that it is seen, the filters, the alternatives together, and those on what new
 *  values refer to. A reference that stays as it is holds. What could fail is asked of rows that are seen only, and that are allowed. */
export function rowTruths(
  collection: Collection,
  key: Key,
  { seen, filters, alternatives, targets }: RowConditions & { readonly filters: readonly Predicate[] },
  setting: Setting,
): Statement {
  const { dialect } = setting
  const frame = rowFrame(collection, setting)
  const stays = ({ field }: TargetCondition) => {
    const column = storedColumn(field, dialect)
    return phrasesOf(column, dialect).compare(column, '=', () => newValue(field, dialect))
  }
  const ways = testsOf({ seen: always, shown: always, alternatives, targets: [] }, frame)
  const behind = (first: readonly Predicate[], test: Sql): Sql =>
    first.reduceRight(
      (then, one) => sql`case when ${filterSql(one, frame)} then ${then} end`,
      sql`case when ${test} then 1 end`,
    )
  const isAllowed = [seen, decided(anyOf(filters))]
  const truths = [
    behind([seen], sql`1 = 1`),
    ...filters.map((filter) => behind([seen], filterSql(filter, frame))),
    behind(isAllowed, sql.join([sql`1 = 1`, ...ways], sql` and `)),
    ...targets.map((target) => behind(isAllowed, sql`${targetSql(target, frame)} or ${stays(target)}`)),
  ]
  const cells = truths.map((truth, at) => sql`${truth} as ${dialect.identifier(String(at))}`)
  const where = isAmong(keyOf(collection), [key], dialect)
  const text = sql`select ${sql.join(cells, sql`, `)} from ${tableName(collection, dialect)} where ${where}`
  return writtenWith(text, dialect)
}
