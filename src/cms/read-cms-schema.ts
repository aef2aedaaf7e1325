import type { HostDatabase } from '../dialects/host.ts'
import { checkOptions } from '../errors/check-options.ts'
import { readCatalogue } from '../introspect/read-catalogue.ts'
import { mistakesOf } from '../plan/write/validations.ts'
import type { FieldDefinition, SchemaDefinition } from '../schema/definition.ts'
import { link } from '../schema/link.ts'
import { isToMany, type Schema } from '../schema/model.ts'
import type { OwnNames } from '../schema/own.ts'
import type { Lookups } from '../vocabulary/variables.ts'
import type { CmsRemark } from './cms-remark.ts'
import { describe } from './describe.ts'
import { dropInvalid, type Sound } from './drop-invalid.ts'
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
