// `quernel access`: prints what roles may do, by the rules that a schema file exports beside its schema.
import { Kysely, SqliteDialect } from 'kysely'
import { type Access, actions } from '../access/access.ts'
import { createEngine } from '../create-engine.ts'
import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { explainAccess, type RuleExplanation } from '../items/read/explain-access.ts'
import type { Schema } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import type { AccessArguments } from './arguments.ts'
import { loadModule, schemaOf } from './read-schema.ts'
import { failure, type Terminal } from './terminal.ts'

/** Prints the permissions of each named role, or of all, as a table. */
export async function printAccess({ schemaFile, roles }: AccessArguments, { out }: Terminal): Promise<void> {
  const module = await loadModule(schemaFile)
  const schema = schemaOf(module, schemaFile)
  const known: unknown = Reflect.get(module, 'roles')
  if (!isRecord(known))
    throw failure(
      `${quote(schemaFile)} exports no roles.`,
      'Let it export const roles = { editor: { rules: { … } } }: what you give to engine.as, by the names of roles.',
    )
  const names = roles.length > 0 ? roles : Object.keys(known)
  const texts = names.map((name) => {
    if (Object.hasOwn(known, name)) return `${name}\n${tableOf(permissionsOf(schema, name, known[name]))}`
    throw failure(`There is no role ${quote(name)}.`, suggestion(name, Object.keys(known)))
  })
  out(texts.join('\n'))
}

/** Returns a line for each rule that allows something. */
function permissionsOf(schema: Schema, role: string, access: unknown): readonly (readonly string[])[] {
  const engine = createEngine({ db: nowhere(), schema }).as(roleAccess(role, access))
  return [...schema.collections.values()].flatMap((collection) =>
    actions.flatMap((action) => {
      const { rules, refused = [] } = explainAccess(engine, collection.name, action)
      const allowed = rules.map((rule) => [collection.name, action, ...cellsOf(rule, collection.fields.size)])
      return [...allowed, ...refused.map((why) => [collection.name, action, 'none', `refused: ${why}`])]
    }),
  )
}

/** Returns the access of a role, with a user of whom nothing is known. */
function roleAccess(role: string, access: unknown): Access {
  if (isRecord(access)) return access
  throw fault('INVALID_OPTIONS', `The role ${quote(role)} is an access, such as { rules: { … } }.`)
}

const cellsOf = ({ fields, filter, validation, presets }: RuleExplanation, count: number) => [
  fields.length === count ? 'all' : fields.join(', ') || 'none',
  filter ? JSON.stringify(filter) : 'all',
  validation ? JSON.stringify(validation) : '',
  presets ? JSON.stringify(presets) : '',
]

const headings = ['collection', 'action', 'fields', 'items', 'validation', 'presets']

/** Aligns lines in columns, and leaves out those without text. */
function tableOf(lines: readonly (readonly string[])[]): string {
  if (lines.length === 0) return '  nothing\n'
  const columns = headings.map((heading, at) => [heading, ...lines.map((line) => line[at] ?? '')])
  const shown = columns.filter(([, ...cells]) => cells.some(Boolean))
  const widths = shown.map((cells) => Math.max(...cells.map((cell) => cell.length)))
  const textOf = (_: unknown, row: number) =>
    `  ${shown.map((cells, at) => (cells[row] ?? '').padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd()
  return `${['', ...lines].map(textOf).join('\n')}\n`
}

/** A database that is never opened: rules are read without one. */
const nowhere = () =>
  new Kysely<unknown>({
    dialect: new SqliteDialect({ database: () => Promise.reject(failure('There is no database.')) }),
  })
