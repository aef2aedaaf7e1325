// Compares a schema with its database, and says what differs.
import { dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { DialectName } from '../dialects/named.ts'
import { buildEngine } from '../engine/build-engine.ts'
import type { EngineInternals } from '../engine/engine.ts'
import { partsOf } from '../engine/options.ts'
import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import type { Schema } from '../schema/model.ts'
import { type OwnNames, ownNames } from '../schema/own.ts'
import { filesCollection } from '../schema/own-files.ts'
import type { RunNames } from '../schema/own-runs.ts'
import type { Finding, SchemaDifference } from './differences.ts'
import { differencesIn, type FoundTables, findTables, withoutHidden } from './find-differences.ts'
import { changeLogDifferences, ownDifferences } from './own-differences.ts'

/** Options of `checkSchema`: which of the engine's own tables are in use, as `createEngine` takes them. */
export interface CheckOptions {
  /** Dialect. By default detected from the database. */
  readonly dialect?: DialectName | Dialect
  /** Name of the collection that holds versions, which are in use where a collection is versioned. By default `versions`. */
  readonly versions?: OwnNames
  /** Name of the collection of files, which are in use if it is given, be it as `{}`. */
  readonly files?: OwnNames
  /** Names of the collections of flows, which are in use if they are given, be it as `{}`. */
  readonly flows?: RunNames
}

const checkedOptions = optionNames<CheckOptions>({
  dialect: anything,
  versions: anything,
  files: anything,
  flows: anything,
})

/** Compares a schema with the database under it: tables, columns, types, keys, and the tables of the engine. It changes nothing.
 *  @example await checkSchema(db, schema) // → [] */
export async function checkSchema(
  db: HostDatabase,
  schema: Schema,
  options: CheckOptions = {},
): Promise<readonly SchemaDifference[]> {
  return (await compare(db, schema, options)).findings.map(({ difference }) => difference)
}

export interface SchemaComparison {
  readonly findings: readonly Finding[]
  readonly found: FoundTables
  readonly engine: EngineInternals
}

export async function compare(
  db: HostDatabase,
  schema: Schema,
  options: CheckOptions,
): Promise<SchemaComparison> {
  checkOptions(options, checkedOptions)
  const { files, flows, versions } = options
  if (files) checkOptions(files, ownNames, ['files'])
  const dialect = dialectOf(options.dialect, db)
  const parts = partsOf({ db, schema, dialect, ...(versions && { versions }), ...(flows && { flows }) })
  const engine = buildEngine(parts.place.home, parts)
  const found = await findTables(schema, db, dialect)
  const own = await ownDifferences(engine, files && filesCollection(schema, files))
  // The engine creates its tables with more than their fields say.
  const isOwn = new Set(own.map(({ difference }) => difference.collection))
  const ofTables = differencesIn(found, ({ name }) => isOwn.has(name))
  const seen = await withoutHidden([...ofTables, ...own], found, db, dialect)
  return { findings: [...seen, ...(await changeLogDifferences(engine))], found, engine }
}
