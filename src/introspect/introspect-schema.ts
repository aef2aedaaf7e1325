import { dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { render } from '../dialects/sql.ts'
import { anything, callback, checkOptions, optionNames } from '../errors/check-options.ts'
import { type EngineError, fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { execute } from '../execution/execute.ts'
import { defineSchema } from '../schema/define-schema.ts'
import type { CollectionDefinition, FieldDefinition, SchemaDefinition } from '../schema/definition.ts'
import { namesOfKeys } from '../schema/key-names.ts'
import type { Schema } from '../schema/model.ts'
import { isFieldType } from '../types/field-types.ts'
import { isRecord } from '../values/guards.ts'
import { refuseLostRelations, withRelations } from './declared-relations.ts'
import { draftOf, nameTables, overrideNamed, refuseIdleCollections } from './draft.ts'
import { fieldOf, overridden } from './fields.ts'
import { foreignKeysOf, type Link, type Links } from './foreign-keys.ts'
import type { FieldOverride, IntrospectOptions } from './introspect-options.ts'
import { catalogueKinds, catalogueWith, databaseOf, phrasesOf } from './read-catalogue.ts'
import { refuseMisfits } from './refuse-misfits.ts'
import { type NamedRelations, relationsOf } from './relations.ts'
import { type DraftColumn, type Drafting, newReport, type Remark, type TableDraft } from './remark.ts'
import { refuseIdleNames } from './rename.ts'
import { withSampledRows } from './sample-rows.ts'
import { namesIn, selectTables } from './select-tables.ts'

/** A schema read from a database. */
export interface IntrospectedSchema extends Schema<SchemaDefinition> {
  /** Parts of the database that the schema leaves out or changes, and the reasons. */
  readonly report: readonly Remark[]
}

const introspectOptions = optionNames<IntrospectOptions>({
  ...catalogueKinds,
  include: anything,
  exclude: anything,
  rename: anything,
  columns: callback,
  relations: { says: 'is an object', holds: isRecord },
  override: anything,
  sample: anything,
})

/** Introspects an existing database: reads its schema, with the relations of its foreign keys, and a report of everything that could not be
 *  taken as it is.
 *  @example const found = await introspectSchema(db)
 *  await listItems(createEngine({ db, schema: found }), 'authors', { fields: ['name', 'articles.title'], limit: 1 })
 *  // → { data: [{ name: 'Ada', articles: [{ title: 'Tea' }, { title: 'Looms' }] }] } */
export async function introspectSchema(
  db: HostDatabase,
  options: IntrospectOptions = {},
): Promise<IntrospectedSchema> {
  checkOptions(options, introspectOptions)
  const dialect = dialectOf(options.dialect, db)
  const { remarks, report } = newReport()
  const drafting: Drafting = { phrases: phrasesOf(dialect), options, report }
  const { dbSchemas } = options
  const { tables } = await catalogueWith(
    db,
    { dialect, ...(dbSchemas && { dbSchemas }) },
    namesIn(options.include),
  )
  if (tables.length === 0) throw await noTable(db, dialect)
  const chosen = selectTables(tables, options)
  const named = withRelations(nameTables(chosen, options, report), options)
  refuseIdleCollections(
    options,
    named.map(({ name }) => name),
  )
  const found = named.flatMap((one) => draftOf(one, drafting) ?? [])
  if (found.length === 0) throw nothingLeft(chosen.length, remarks)
  const drafts = await withSampledRows(found, db, dialect, options.sample)
  refuseMisfits(drafts)
  const links = foreignKeysOf(drafts, report)
  refuseLostRelations(drafts, links, options, remarks)
  const relations = relationsOf(drafts, links, options, report)
  const isRelation = (table: string, name: string) =>
    drafts.some((draft) => draft.table.name === table && Object.hasOwn(relations.get(draft) ?? {}, name))
  const isRefused = (table: string) =>
    remarks.some((remark) => remark.code === 'NAME_REFUSED' && remark.table === table)
  refuseIdleNames(options, chosen, (table, name) => isRelation(table, name) || isRefused(table))
  const schema = defineSchema(definitionOf(drafts, links, relations, drafting), {
    defaultFields: 'columns',
  })
  return Object.freeze({ ...schema, report: Object.freeze([...remarks]) })
}

function nothingLeft(chosen: number, [first]: readonly Remark[]) {
  const sentence =
    chosen === 0
      ? 'No table of the database is left by what is included and excluded.'
      : 'No table of the database can be a collection.'
  return fault('INVALID_OPTIONS', first ? `${sentence} ${first.message}` : sentence, { hint: first?.hint })
}

function definitionOf(
  drafts: readonly TableDraft[],
  links: Links,
  relations: NamedRelations,
  drafting: Drafting,
): SchemaDefinition {
  return Object.fromEntries(
    drafts.map((draft) => {
      const stored = draft.columns.map(
        (of) => [of.field, fieldOf(draft, of, linkOf(of, links.get(draft)), drafting)] as const,
      )
      const fields = { ...Object.fromEntries(stored), ...relationFields(draft, relations) }
      return [draft.name, collectionOf(draft, fields)]
    }),
  )
}

/** Returns what a column leads to by itself. */
const linkOf = (of: DraftColumn, links: readonly Link[] = []): Link | undefined =>
  links.find(({ columns }) => columns.length === 1 && columns[0] === of)

type FieldDefinitions = Readonly<Record<string, FieldDefinition>>

function relationFields(draft: TableDraft, relations: NamedRelations): FieldDefinitions {
  const named = relations.get(draft) ?? {}
  refuseIdleOverrides(draft, named)
  const own = Object.entries(named).flatMap(([name, field]) => {
    const override = overrideNamed(draft.override, name)
    return override === false ? [] : [[name, overridden(field, override)] as const]
  })
  return Object.fromEntries(own)
}

/** Refuses to leave out or to describe fields that do not exist: the name is a mistake. A field may be added that names its column, or
 *  needs none. */
function refuseIdleOverrides({ name, names, override, table }: TableDraft, relations: object): void {
  const others = Object.entries(override.fields ?? {}).filter(
    ([field]) => !names.has(field) && !Object.hasOwn(relations, field),
  )
  const idle = others.find(([field, said]) => said === false || isColumnless(said, field, table))
  if (!idle) return
  const [field, said] = idle
  const aim = said === false ? 'to leave out' : 'to override, and no column of this name for another'
  throw fault('INVALID_OPTIONS', `There is no field ${quote(field)} in ${quote(name)} ${aim}.`, {
    path: ['override', name, 'fields', field],
    hint: suggestion(field, [...names, ...Object.keys(relations)]),
  })
}

/** True for a field of a column that is not there. */
const isColumnless = (
  said: Exclude<FieldOverride, false>,
  field: string,
  { columns }: TableDraft['table'],
): boolean =>
  (said.type === undefined || isFieldType(said.type)) &&
  !('column' in said) &&
  columns.every((column) => column.name !== field)

function collectionOf(
  { table, name, override, isQualified, key }: TableDraft,
  found: FieldDefinitions,
): CollectionDefinition {
  const { key: _key, fields: reported = {}, ...options } = override
  const more = Object.entries(reported).filter(
    ([field, said]) => said !== false && !Object.hasOwn(found, field),
  )
  // The override of a field that does not exist defines it, and is checked with the whole schema.
  const fields = { ...found, ...(Object.fromEntries(more) as FieldDefinitions) }
  return {
    ...(table.name !== name && { table: table.name }),
    ...(isQualified && { dbSchema: table.schema }),
    ...(table.note !== null && { note: table.note }),
    ...(key.length > 1 && { key: key.map(({ field }) => field) }),
    ...(key.length === 0 && namesOfKeys(fields).length === 0 && { key: false as const }),
    ...options,
    fields,
  }
}

/** Returns the error for a database in which no table was found, and says where others are. */
async function noTable(db: HostDatabase, dialect: Dialect): Promise<EngineError> {
  const names = await otherSchemas(db, dialect)
  const sentence = 'There is no table in the database.'
  if (names.length === 0) return fault('INVALID_OPTIONS', sentence)
  const shown = names.slice(0, maxShown).map(quote).join(', ')
  const more = names.length > maxShown ? ` and ${names.length - maxShown} others` : ''
  const says = `Those in the ${names.length === 1 ? 'schema' : 'schemas'} ${shown}${more} are found by the name of their schema alone.`
  return fault('INVALID_OPTIONS', `${sentence} ${says}`, {
    path: ['dbSchemas'],
    hint: `Take them with dbSchemas: ${JSON.stringify(names.slice(0, maxShown))}, or with --db-schema.`,
  })
}

const maxShown = 10

async function otherSchemas(db: HostDatabase, dialect: Dialect): Promise<readonly string[]> {
  const statement = phrasesOf(dialect).otherSchemas
  if (!statement) return []
  const rows = await execute(databaseOf(db, dialect), render(statement, dialect), {})
  return rows.map((row) => String(row[0]))
}
