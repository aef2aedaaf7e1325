import { introspectSchema } from '../introspect/introspect-schema.ts'
import type { Remark } from '../introspect/remark.ts'
import type { IntrospectArguments } from './arguments.ts'
import { shownPlace } from './database-place.ts'
import { openDatabase } from './open-database.ts'
import { printSchema } from './print-schema.ts'
import type { Terminal } from './terminal.ts'

/** Prints the schema of a database, and reports parts that it leaves out or changes. */
export async function printDatabase(
  { database, options }: IntrospectArguments,
  { out, tell, load }: Terminal,
): Promise<void> {
  const db = await openDatabase(database, { isReadonly: true, tell, load })
  try {
    const schema = await introspectSchema(db, options)
    out(printSchema(schema, `Read from ${shownPlace(database)} by quernel introspect.`))
    tell(reportText(schema.report))
  } finally {
    await db.destroy()
  }
}

/** Returns one line per remark, and one per hint. */
export const reportText = (report: readonly Remark[]): string =>
  report
    .map(({ kind, message, hint }) => `${kind}: ${message}\n${hint === undefined ? '' : `  ${hint}\n`}`)
    .join('')
