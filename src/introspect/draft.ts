// Draft of a collection, made from a table: its name, the names of its fields, and the facts about each column.
import type { CatalogueColumn, CataloguePhrases, CatalogueTable } from '../dialects/catalogue.ts'
import { fault, type Path, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import type { ScalarDefinition } from '../schema/definition.ts'
import { filesDefinition } from '../schema/own-files.ts'
import { runDefinitions } from '../schema/own-runs.ts'
import { versionFields } from '../schema/own-versions.ts'
import { fieldTypes } from '../types/field-types.ts'
import { isRecord } from '../values/guards.ts'
import { findKey } from './find-key.ts'
import type { CollectionOverride, FieldOverride, IntrospectOptions } from './introspect-options.ts'
import { giveNames } from './name-fields.ts'
import {
  called,
  type DraftColumn,
  type Drafting,
  type NamedTable,
  type Report,
  type TableDraft,
} from './remark.ts'
import { wishFor } from './rename.ts'

/** Names the collections. Those of all database schemas after the first get the name of their schema as a prefix. */
export function nameTables(
  tables: readonly CatalogueTable[],
  options: IntrospectOptions,
  report: Report,
): readonly NamedTable[] {
  const home = options.dbSchemas?.[0]
  const isHome = (table: CatalogueTable) => home === undefined || table.schema === home
  // A table of the first schema keeps its name, whatever a prefix makes of others.
  const inOrder = [...tables.filter(isHome), ...tables.filter((table) => !isHome(table))]
  const nameless = inOrder.map((table) => {
    const own = isHome(table) ? table.name : `${table.schema}_${table.name}`
    return { table, own, wish: wishFor(options, { dbSchema: table.schema, table: table.name }) }
  })
  const input = giveNames(nameless)
  const names = new Map(nameless.map(({ table, wish }, at) => [table, { ...input[at], wish }]))
  return tables.map((table) => {
    const { name = table.name, because, wish } = names.get(table) ?? {}
    if (because !== undefined) reportName({ table }, { wish, name, because }, report)
    return { table, name }
  })
}

/** Drafts a collection. Undefined, with a remark, for a table that cannot be a collection. */
export function draftOf({ table, name }: NamedTable, drafting: Drafting): TableDraft | undefined {
  const { options, report } = drafting
  const unfit = unfitKinds.find(({ is }) => is(table))
  if (unfit) {
    report(unfit.code, { table }, `${called(table)} ${unfit.says}`)
    return undefined
  }
  const override = overrideOf(options, name)
  const own = ownTableOf(table, drafting.phrases)
  const columns = columnsOf(table, override, own?.fields, drafting)
  if (!columns.some(isHeld)) {
    report('NO_COLUMNS', { table }, `${called(table)} has no column that a field holds.`)
    return undefined
  }
  const key = findKey({ table, name }, override.key ?? own?.key, columns, report)
  // The number of a row is no column of the table.
  const all = [...key.filter((of) => !columns.includes(of)), ...columns]
  const isQualified = options.dbSchemas !== undefined
  return {
    table,
    name,
    isQualified,
    override,
    names: new Set(all.map(({ field }) => field)),
    columns: all.filter(({ override: own }) => own !== false),
    key,
  }
}

const unfitKinds = [
  {
    code: 'NO_NAME',
    is: ({ name }: CatalogueTable) => name === '',
    says: 'has an empty name, which no schema holds.',
  },
  {
    code: 'VIRTUAL_TABLE',
    is: ({ kind }: CatalogueTable) => kind === 'virtual',
    says: 'is virtual: an extension provides its rows.',
  },
  {
    code: 'NO_COLUMNS',
    is: ({ columns }: CatalogueTable) => columns.length === 0,
    says: 'has no columns that can be read.',
  },
] as const

/** True if a column has a field. */
const isHeld = ({ override }: DraftColumn): boolean => override !== false

const noOverride: CollectionOverride = {}

const overrideOf = ({ override }: IntrospectOptions, name: string): CollectionOverride =>
  (override && Object.hasOwn(override, name) ? override[name] : undefined) ?? noOverride

function columnsOf(
  table: CatalogueTable,
  override: CollectionOverride,
  own: OwnFields | undefined,
  { phrases, options, report }: Drafting,
): readonly DraftColumn[] {
  const place = { dbSchema: table.schema, table: table.name }
  const nameless = table.columns.filter(isNamed).map((column) => ({
    column,
    own: column.name,
    wish: wishFor(options, { ...place, field: column.name }),
  }))
  if (nameless.length < table.columns.length)
    report('NO_NAME', { table, column: '' }, `${called(table, '')} has an empty name, which no schema holds.`)
  const names = giveNames(nameless)
  return nameless.map(({ column, wish }, at) => {
    const { name: field = column.name, because } = names[at] ?? {}
    if (because !== undefined)
      reportName({ table, column: column.name }, { wish, name: field, because }, report)
    const said = overrideNamed(override, field) ?? options.columns?.(column, table)
    return { column, field, guess: phrases.guess(column), override: withOwn(said, column, table, own) }
  })
}

// SQLite allows an empty name.
const isNamed = ({ name }: CatalogueColumn): boolean => name !== ''

export const overrideNamed = ({ fields }: CollectionOverride, name: string): FieldOverride | undefined =>
  fields && Object.hasOwn(fields, name) ? fields[name] : undefined

/** A name that was taken in place of another. */
interface GivenName {
  /** The name that the host wished for. */
  readonly wish: string | undefined
  readonly name: string
  readonly because: string
}

function reportName(
  place: { readonly table: CatalogueTable; readonly column?: string },
  { wish, name, because }: GivenName,
  report: Report,
): void {
  const what = called(place.table, place.column)
  const says = `${what} is called ${quote(name)} here`
  if (wish === undefined) report('NAME_CHANGED', place, `${says}: its name ${because}.`)
  else report('NAME_REFUSED', place, `${says}: the name ${quote(wish)} ${because}.`)
}

/** Refuses overrides that are no objects, and of collections that do not exist: the name is a mistake. */
export function refuseIdleCollections({ override = {} }: IntrospectOptions, names: readonly string[]): void {
  for (const [name, one] of Object.entries(override)) checkOverride(one, ['override', name])
  const idle = Object.keys(override).find((name) => !names.includes(name))
  if (idle === undefined) return
  throw fault('INVALID_OPTIONS', `There is no collection ${quote(idle)} to override.`, {
    path: ['override', idle],
    hint: suggestion(idle, names),
  })
}

/** Checks an override, which may come from a file. What its fields hold is checked with the schema. */
function checkOverride(input: unknown, path: Path): void {
  const wrong = (says: string, found: unknown, ...at: readonly string[]) =>
    fault('INVALID_OPTIONS', `${says}, not ${quote(found)}.`, { path: [...path, ...at] })
  if (!isRecord(input)) throw wrong('An override of a collection is an object', input)
  const { key, fields } = input
  const isKey = typeof key === 'string' || (Array.isArray(key) && key.every((one) => typeof one === 'string'))
  if (key !== undefined && !isKey) throw wrong('"key" is a column, or a list of columns', key, 'key')
  if (fields === undefined) return
  if (!isRecord(fields)) throw wrong('"fields" is an object', fields, 'fields')
  for (const [name, one] of Object.entries(fields))
    if (one !== undefined && one !== false && !isRecord(one))
      throw wrong('An override of a field is an object, or false for none', one, 'fields', name)
}

// Tables that an engine has created for itself: the purpose of their columns is known, although the columns do not declare it.
type OwnFields = Readonly<Record<string, ScalarDefinition>>

interface OwnTableFields {
  readonly fields: OwnFields
  /** Its key, where that is not the primary key: rows of flows are numbered beside it. */
  readonly key?: string
}

const { quernel_runs: runs, quernel_steps: steps, quernel_flows: flows } = runDefinitions
const { steps: _, ...runFields } = runs.fields
const purposes: readonly OwnTableFields[] = [
  { fields: versionFields },
  filesDefinition,
  { fields: runFields, key: 'id' },
  { fields: { ...steps.fields, run: { type: 'uuid' } } },
  flows,
]

/** Returns the fields of a table that holds versions, files or runs of flows; a host may have added columns to it. */
function ownTableOf(table: CatalogueTable, phrases: CataloguePhrases): OwnTableFields | undefined {
  if (table.kind !== 'table') return undefined
  const columns = new Map(table.columns.map((column) => [column.name, column]))
  return purposes.find(({ fields }) =>
    Object.entries(fields).every(([name, field]) => holds(columns.get(name), field, phrases)),
  )
}

/** True if a column is like one created for a field: of its type, or text if the database has no such type. */
function holds(
  column: CatalogueColumn | undefined,
  { type, storage }: ScalarDefinition,
  phrases: CataloguePhrases,
): boolean {
  if (!column) return false
  const guess = phrases.guess(column)
  if (storage === 'milliseconds') return fieldTypes[guess.type].family === 'integer'
  return guess.type === 'text' || fieldTypes[guess.type].family === fieldTypes[type].family
}

/** Returns the override of a column, completed with the engine's own options. The column may have been made a foreign key since. */
function withOwn(
  said: FieldOverride | undefined,
  { name }: CatalogueColumn,
  table: CatalogueTable,
  own: OwnFields | undefined,
): FieldOverride | undefined {
  const field = own && Object.hasOwn(own, name) ? own[name] : undefined
  if (!field || said === false) return said
  const { key: _key, nullable: _nullable, type, ...options } = field
  const isLink = table.foreignKeys.some(({ columns }) => columns.includes(name))
  if (said?.type !== undefined && said.type !== type) return said
  return { ...(!isLink && { type }), ...options, ...said } as FieldOverride // the options are those of its type
}
