import type { HostDatabase } from '../dialects/host.ts'
import { introspectSchema } from '../introspect/introspect-schema.ts'
import type { Schema } from '../schema/model.ts'
import type { SchemaArguments } from './arguments.ts'
import { loadSchema } from './load-schema.ts'
import { reportText } from './print-database.ts'
import type { Terminal } from './terminal.ts'

/** Returns the schema of a file, or else of the database, and reports what is not in it as it is there. */
export async function readSchema(
  { schemaFile, options }: SchemaArguments,
  db: HostDatabase,
  { tell }: Terminal,
): Promise<Schema> {
  if (schemaFile !== undefined) return loadSchema(schemaFile)
  const schema = await introspectSchema(db, options)
  tell(reportText(schema.report))
  return schema
}
