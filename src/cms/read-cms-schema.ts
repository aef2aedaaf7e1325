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

/** The collections of the service, and how an engine has to be set up for them. */
export interface CmsSchema extends Schema<SchemaDefinition> {
  /** For `createEngine`: where versions are, and whose fields variables have. */
  readonly options: {
    readonly versions?: OwnNames
    readonly files?: OwnNames
    readonly variables: Lookups
  }
  /** What is left out or changed, and why. */
  readonly report: readonly CmsRemark[]
}

/** Reads the collections, fields and relations of a database that the reference service made. Nothing in it is changed.
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
