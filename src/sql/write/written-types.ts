// The types of the columns that a statement binds values for, in its result: what was prepared for other types is then refused, and not stored.
import type { Dialect } from '../../dialects/dialect.ts'
import { type Sql, sql } from '../../dialects/sql.ts'
import type { StoredField } from '../../schema/model.ts'
import { tableName } from '../frame.ts'

/** Cells to put behind all others of a result. */
export function typesOf(fields: Iterable<StoredField>, dialect: Dialect): Sql {
  const cells = [...fields]
    .map(({ collection, column, value }) =>
      dialect.typeCell?.(tableName(collection, dialect), dialect.identifier(column), value),
    )
    .filter((cell) => cell !== undefined)
    .map((cell, at) => sql`, ${cell} as ${dialect.identifier(`t${at}`)}`)
  return sql.join(cells, sql``)
}
