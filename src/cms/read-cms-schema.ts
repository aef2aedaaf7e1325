import type { HostDatabase } from '../dialects/host.ts'
import { checkOptions } from '../errors/check-options.ts'
import { type EngineError, fault, type Path } from '../errors/errors.ts'
import { readCatalogue } from '../introspect/read-catalogue.ts'
import { mistakesOf } from '../plan/write/validations.ts'
import { checkShape } from '../schema/check.ts'
import type { CollectionDefinition, FieldDefinition, SchemaDefinition } from '../schema/definition.ts'
import { link } from '../schema/link.ts'
import { isToMany, type Schema } from '../schema/model.ts'
import type { OwnNames } from '../schema/own.ts'
import type { Lookups } from '../vocabulary/variables.ts'
import type { CmsRemark } from './cms-remark.ts'
import { type Description, describe } from './describe.ts'
import type { FieldFact } from './facts.ts'
import { readMetadata } from './metadata.ts'
import { translateFilter } from './rules/translate-filter.ts'
import { type CmsOptions, cmsOptions, serviceOf } from './service.ts'
import { filesName, lookupsIn, versionsName } from './system-collections.ts'

/** A schema of the service's collections, and the options that an engine needs for them. */
export interface CmsSchema extends Schema<SchemaDefinition> {
  /** Options for `createEngine`: the collections of versions and files, and those of variables. */
  readonly options: {
    readonly versions?: OwnNames
    readonly files?: OwnNames
    readonly variables: Lookups
  }
  /** Remarks about parts that are left out or changed. */
  readonly report: readonly CmsRemark[]
}

/** Reads the collections, fields and relations from a database of the reference service. It changes nothing there.
 *  @example const service = new Kysely({ dialect: sqliteDialect({ database: new Database(process.env.CMS_DATABASE) }) })
 *  const schemaOfService = await readCmsSchema(service)
 *  const server = createEngine({ db: service, schema: schemaOfService, ...schemaOfService.options }) */
export async function readCmsSchema(db: HostDatabase, options: CmsOptions = {}): Promise<CmsSchema> {
  checkOptions(options, cmsOptions)
  const { dbSchema, dialect } = options
  const { phrases, rowsOf } = serviceOf(db, options)
  const facts = readMetadata({
    collections: await rowsOf('directus_collections'),
    fields: await rowsOf('directus_fields'),
    relations: await rowsOf('directus_relations'),
  })
  const { tables } = await readCatalogue(db, {
    ...(dialect !== undefined && { dialect }),
    ...(dbSchema !== undefined && { dbSchemas: [dbSchema] }),
  })
  const sound = dropInvalid(describe({ facts, tables, phrases, dbSchema }))
  const { schema, remarks } = withValidations(sound, facts.fields)
  return Object.freeze({
    ...schema,
    options: {
      ...(schema.collections.has(versionsName) && { versions: { collection: versionsName } }),
      ...(schema.collections.has(filesName) && { files: { collection: filesName } }),
      variables: lookupsIn(schema),
    },
    report: remarks,
  })
}

function withValidations({ schema, remarks }: Sound, facts: readonly FieldFact[]): Sound {
  const own: CmsRemark[] = []
  const guards = facts.flatMap((fact) => guardOf(fact, schema, own))
  if (guards.length === 0) return { schema, remarks }
  const tried = guarded(schema.definition, guards)
  const kept = guards.map((guard) => checked(guard, tried, own))
  return { schema: guarded(schema.definition, kept), remarks: [...remarks, ...own] }
}

interface ValidatedField {
  readonly collection: string
  readonly field: string
}

/** Options of a field that enforce its validation. */
interface Guard extends ValidatedField {
  readonly options: { readonly validation: object } | { readonly readonly: true }
}

function guardOf(
  { collection, name, validation }: FieldFact,
  schema: Schema,
  remarks: CmsRemark[],
): readonly Guard[] {
  const owner = schema.collections.get(collection)
  const field = owner?.fields.get(name)
  if (validation === undefined || !owner || !field) return []
  const place = { collection, field: name }
  if (isToMany(field) || field.kind === 'any') {
    remarks.push({
      ...place,
      message: 'A relation of this kind has no validation here, so it is not checked.',
    })
    return []
  }
  const { filter, refusals } = translateFilter(validation, owner, { schema, use: 'validation' })
  const [refusal] = refusals
  if (refusal !== undefined) return [refused(place, refusal, remarks)]
  return filter ? [{ ...place, options: { validation: filter } }] : []
}

function refused({ collection, field }: ValidatedField, reason: string, remarks: CmsRemark[]): Guard {
  const message = `Its validation cannot be kept, so it cannot be written here. ${reason}`
  remarks.push({ collection, field, message })
  return { collection, field, options: { readonly: true } }
}

/** Checks the validation as an engine does. */
function checked(guard: Guard, schema: Schema, remarks: CmsRemark[]): Guard {
  const owner = schema.collections.get(guard.collection)
  const field = owner?.fields.get(guard.field)
  const [mistake] = owner && field ? mistakesOf(field, owner, schema) : []
  return mistake ? refused(guard, mistake.message, remarks) : guard
}

/** Returns the schema with the guards of its fields. They do not change relations. */
function guarded(definition: SchemaDefinition, guards: readonly Guard[]): Sound['schema'] {
  const collections = Object.entries(definition).map(([collection, described]) => {
    const own = new Map(
      guards.filter((guard) => guard.collection === collection).map(({ field, options }) => [field, options]),
    )
    const fields = Object.entries(described.fields).map(([name, field]): [string, FieldDefinition] => [
      name,
      // Fields of other kinds were skipped.
      { ...field, ...own.get(name) } as FieldDefinition,
    ])
    return [collection, { ...described, fields: Object.fromEntries(fields) }] as const
  })
  const made = Object.fromEntries(collections)
  return { collections: link(made).collections, definition: made, defaultFields: 'all' }
}

interface Sound {
  readonly schema: Schema<SchemaDefinition>
  readonly remarks: readonly CmsRemark[]
}

/** Turns a description into a schema: drops each invalid part, and remarks it. */
function dropInvalid({ definition, remarks }: Description): Sound {
  if (Object.keys(definition).length === 0)
    throw fault('INVALID_SCHEMA', 'There is no table that could be a collection.')
  const mistakes = checkShape(definition)
  const linked = mistakes.length === 0 ? link(definition) : undefined
  const problems = linked?.problems ?? mistakes
  if (linked && problems.length === 0)
    return { schema: { collections: linked.collections, definition, defaultFields: 'all' }, remarks }
  const places = problems.map(placeOf)
  return dropInvalid({
    definition: without(definition, places),
    remarks: [...remarks, ...problems.map(remarkOf)],
  })
}

function remarkOf(problem: EngineError): CmsRemark {
  const { collection, field } = placeOf(problem)
  return { collection, ...(field !== undefined && { field }), message: problem.message }
}

interface Location {
  readonly collection: string
  readonly field?: string
  readonly isSortField?: true
}

/** Returns the smallest part that contains the mistake. */
function placeOf({ path = [] }: EngineError): Location {
  const [name, part, field]: Path = path
  const collection = String(name)
  if (part === 'fields' && field !== undefined) return { collection, field: String(field) }
  return part === 'sortField' ? { collection, isSortField: true } : { collection }
}

function without(
  definition: Description['definition'],
  places: readonly Location[],
): Readonly<Record<string, CollectionDefinition>> {
  const left = Object.entries(definition).flatMap(([name, collection]) => {
    const own = places.filter((place) => place.collection === name)
    if (own.some(({ field, isSortField }) => field === undefined && !isSortField)) return []
    const { sortField, ...rest } = collection
    const gone = new Set(own.map(({ field }) => field))
    const fields = Object.fromEntries(Object.entries(collection.fields).filter(([field]) => !gone.has(field)))
    const isSorted = sortField !== undefined && !own.some(({ isSortField }) => isSortField)
    return [[name, { ...rest, ...(isSorted && { sortField }), fields }] as const]
  })
  return Object.fromEntries(left)
}
