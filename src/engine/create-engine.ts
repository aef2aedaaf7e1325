import type { HostTransaction } from '../dialects/host.ts'
import type { Schema } from '../schema/model.ts'
import { buildEngine } from './build-engine.ts'
import type { Engine } from './engine.ts'
import { type EngineOptions, partsOf } from './options.ts'

/** Creates an engine: ties a schema to a database.
 *  @example const small = createEngine({ db, schema, limits: { defaultLimit: 10, maxLimit: 100 } })
 *  await listItems(small, 'articles', { limit: 500 }) // throws "limit" takes at most 100. */
export function createEngine<S extends Schema>(options: EngineOptions<S>): Engine<S> {
  const parts = partsOf(options)
  // The types come from the schema that was given.
  const engine = buildEngine(parts.home, parts).asEngine() as Engine<S>
  const { db } = options
  // A `db` that is a transaction is used as if it had been given to `using`.
  return db.isTransaction ? engine.using(db as HostTransaction) : engine // `isTransaction` says that it is one
}
