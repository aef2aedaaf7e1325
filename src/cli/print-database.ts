import { introspectSchema } from '../introspect/introspect-schema.ts'
import type { Remark } from '../introspect/remark.ts'
import type { IntrospectArguments } from './arguments.ts'
import { shownPlace } from './database-place.ts'
import { openDatabase } from './open-database.ts'
import { printSchema } from './print-schema.ts'
import type { Terminal } from './terminal.ts'

/** Prints the schema of a database, and reports parts that it leaves out or changes. */
export async function printDatabase(
  { database, options, isVerbose }: IntrospectArguments,
  { out, print, load }: Terminal,
): Promise<void> {
  const db = await openDatabase(database, { isReadonly: true, print, load })
  try {
    const schema = await introspectSchema(db, options)
    out(printSchema(schema, `Read from ${shownPlace(database)} by quernel introspect.`))
    print(reportText(schema.report, isVerbose))
  } finally {
    await db.destroy()
  }
}

/** Remarks that are printed with their hints although not all were requested. */
const fewRemarks = 3

/** Returns the remarks, each with its hint; of many a summary, unless all are wanted. */
export function reportText(report: readonly Remark[], isVerbose: boolean): string {
  if (isVerbose || report.length <= fewRemarks) return report.map(remarkText).join('')
  const [first] = report
  return `${report.length} things are not as they are in the database: ${countsOf(report)}.
The first: ${first?.message}
--verbose prints all of them, and what to do about each.
`
}

function remarkText({ kind, message, hint, commandHint = hint }: Remark): string {
  return `${kind}: ${message}\n${commandHint === undefined ? '' : `  ${commandHint}\n`}`
}

function countsOf(report: readonly Remark[]): string {
  const counts = new Map<string, number>()
  for (const { kind } of report) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')
}
