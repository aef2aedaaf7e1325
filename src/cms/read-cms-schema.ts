import type { HostDatabase } from '../dialects/host.ts'
import { checkOptions } from '../errors/check-options.ts'
import { readCatalogue } from '../introspect/read-catalogue.ts'
import type { SchemaDefinition } from '../schema/definition.ts'
import type { Schema } from '../schema/model.ts'
import type { OwnNames } from '../schema/own.ts'
import type { Lookups } from '../vocabulary/variables.ts'
import type { CmsRemark } from './cms-remark.ts'
import { describe } from './describe.ts'
import { dropInvalid } from './drop-invalid.ts'
import { withValidations } from './field-validations.ts'
import { readMetadata } from './metadata.ts'
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
