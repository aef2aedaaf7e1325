// Prints the schema of a database as TypeScript source, and what it leaves out or changes.
import { introspectSchema } from '../introspect/introspect-schema.ts'
import type { Remark } from '../introspect/remark.ts'
import type { SchemaDefinition } from '../schema/definition.ts'
import type { Schema } from '../schema/model.ts'
import type { IntrospectArguments } from './arguments.ts'
import { shownPlace } from './database-place.ts'
import { withDatabase } from './open-database.ts'
import type { Terminal } from './terminal.ts'

/** Prints the schema of a database, and reports parts that it leaves out or changes. */
export async function printDatabase(
  { database, options, isVerbose }: IntrospectArguments,
  terminal: Terminal,
): Promise<void> {
  await withDatabase(database, { isReadonly: true }, terminal, async (db) => {
    const schema = await introspectSchema(db, options)
    terminal.out(printSchema(schema, `Read from ${shownPlace(database)} by quernel introspect.`))
    terminal.print(reportText(schema.report, isVerbose))
  })
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

type PrintedSchema = Pick<Schema<SchemaDefinition>, 'definition' | 'defaultFields'>

/** Returns the text of a module that exports the schema. It is the same for the same schema.
 *  @example printSchema(schema, 'Read from shop.db.') */
export function printSchema({ definition, defaultFields }: PrintedSchema, note: string): string {
  const comment = `// ${note.replace(/[\r\n\u2028\u2029]/g, ' ')}`
  const options = defaultFields === 'all' ? '' : `, ${printed({ defaultFields }, openLevels, '')}`
  return `${comment}\nimport { defineSchema } from ${text('quernel')}\n\nexport const schema = defineSchema(${printed(definition, 0, '')}${options})\n`
}

const widest = 110

/** Returns a value as source; `before` is the text on its line already. */
function printed(value: unknown, depth: number, before: string): string {
  if (Array.isArray(value)) return list(value, depth, before)
  if (typeof value === 'object' && value !== null) return record(value, depth, before)
  return typeof value === 'string' ? text(value) : String(value)
}

function list(values: readonly unknown[], depth: number, before: string): string {
  const inside = values.map((value) => printed(value, depth + 1, ''))
  return laid(inside, ['[', ']'], depth, before)
}

function record(value: object, depth: number, before: string): string {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const inside = members.map(
    ([name, member]) => `${property(name)}: ${printed(member, depth + 1, `${property(name)}: `)}`,
  )
  // Collections and fields have lines of their own, however short.
  return depth < openLevels || inside.some((member) => member.includes('\n'))
    ? broken(inside, ['{', '}'], depth)
    : laid(inside, ['{ ', ' }'], depth, before)
}

/** Levels that are always broken into lines: the schema, a collection, its fields. */
const openLevels = 3

type Brackets = readonly [open: string, close: string]

function laid(inside: readonly string[], [open, close]: Brackets, depth: number, before: string): string {
  const line = `${open}${inside.join(', ')}${close}`
  const fits = !line.includes('\n') && depth * 2 + before.length + line.length + 1 <= widest
  return fits ? line : broken(inside, [open.trim(), close.trim()], depth)
}

function broken(inside: readonly string[], [open, close]: Brackets, depth: number): string {
  if (inside.length === 0) return `${open}${close}`
  const indent = '  '.repeat(depth)
  return `${open}\n${inside.map((one) => `${indent}  ${one},\n`).join('')}${indent}${close}`
}

const property = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name))

/** Returns a string literal in single quotes, unless it holds some, without line breaks. */
function text(value: string): string {
  const doubled = JSON.stringify(value).replace(
    /[\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16)}`,
  )
  return value.includes("'") ? doubled : `'${doubled.slice(1, -1).replaceAll('\\"', '"')}'`
}
