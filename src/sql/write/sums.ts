import type { Dialect } from '../../dialects/dialect.ts'
import type { Sql } from '../../dialects/sql.ts'
import type { Storing } from '../../dialects/stored-values.ts'
import { addedEncoding } from '../../plan/write/increment.ts'
import type { StoredField } from '../../schema/model.ts'

/** A column with something added to it: the statement fails where the field does not store the sum. Undefined if the database cannot add. `bind`
 *  binds what is added. */
export const sumOf = (
  { field, form }: { readonly field: StoredField; readonly form: string | undefined },
  column: Sql,
  bind: (encode: Storing['encode']) => Sql,
  dialect: Dialect,
): Sql | undefined =>
  dialect.storing(field.value).add?.(column, bind(addedEncoding(field.value, dialect)), form)
