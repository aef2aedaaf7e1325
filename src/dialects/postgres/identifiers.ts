import { identifier, quotedName, type Sql, sql } from '../sql.ts'

/** A table as text, for functions that take its name as a value. */
export const tableText = ({
  table,
  dbSchema,
}: {
  readonly table: string
  readonly dbSchema: string | undefined
}) => [...(dbSchema === undefined ? [] : [dbSchema]), table].map(quotedName).join('.')

/** An enum's name may include its schema: `shop.status`. */
export const enumName = (name: string): Sql => sql.join(name.split('.').map(identifier), sql`.`)
