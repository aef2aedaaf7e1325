// Creates engines: the one place that knows both the engine and its images, which the engine itself knows nothing of.
import type { HostTransaction } from './dialects/host.ts'
import { buildEngine } from './engine/build-engine.ts'
import type { Engine } from './engine/engine.ts'
import type { EngineSettings } from './engine/engine-settings.ts'
import { partsOf } from './engine/options.ts'
import { type AssetSettings, readSettings } from './images/asset-settings.ts'
import type { CollectionName, DefinitionOf } from './schema/infer.ts'
import type { DefaultFields, Schema } from './schema/model.ts'
import type { RunNames, runDefinitions } from './schema/own-runs.ts'
import { type ByteCodec, convertBytesBy } from './values/bytes.ts'

/** Options of `createEngine`. */
export interface EngineOptions<S extends Schema> extends EngineSettings<S> {
  /** Settings for images made from files: the allowed transformations and their limits. */
  readonly assets?: AssetSettings
}

/** Schema of an engine that says itself what `*` stands for, if the compiler sees which of the words it is. */
type WithDefault<S extends Schema, Default> = [Default] extends [never]
  ? S
  : [Default] extends ['all']
    ? Schema<S['definition'], 'all'>
    : [Default] extends ['columns']
      ? Schema<S['definition'], 'columns'>
      : S

/** Schema of an engine with the collections of flows, if the compiler sees that they have their usual names. */
type WithRuns<S extends Schema, Flows> = [Flows] extends [undefined]
  ? S
  : [keyof Flows] extends [never]
    ? 'quernel_runs' extends CollectionName<S>
      ? S
      : Schema<DefinitionOf<S> & typeof runDefinitions, S['defaultFields']>
    : S

interface WithDefaultFields<Default> {
  /** Fields that a query without `fields`, and each `*` in it, stands for: `all`, or only those with a `column`. By default as the schema
   *  says. */
  readonly defaultFields?: Default | undefined
}

/** Creates an engine: ties a schema to a database.
 *  @example const small = createEngine({ db, schema, limits: { defaultLimit: 10, maxLimit: 100 } })
 *  await listItems(small, 'articles', { limit: 500 }) // throws "limit" takes at most 100. */
export function createEngine<
  S extends Schema,
  const Default extends DefaultFields = never,
  const Flows extends RunNames | undefined = undefined,
>(
  options: EngineOptions<S> & WithDefaultFields<Default> & { readonly flows?: Flows },
): Engine<WithDefault<WithRuns<S, Flows>, Default>> {
  useNodeBytes()
  const parts = partsOf(options)
  // Mistakes are the host's, so they are reported at once. Images are opened when the first one is requested; only then the number of
  // cores counts, which decides nothing but defaults.
  readSettings(options.assets, 1)
  // The types come from the schema that was given.
  const engine = buildEngine(parts.place.home, parts).asEngine() as Engine<
    WithDefault<WithRuns<S, Flows>, Default>
  >
  const { db } = options
  // A `db` that is a transaction is used as if it had been given to `using`.
  return db.isTransaction ? engine.using(db as HostTransaction) : engine // `isTransaction` says that it is one
}

/** The conversions of Node, which take a fifth of the time. */
export const nodeCodec: ByteCodec = {
  toBase64: (bytes) => viewOf(bytes).toString('base64'),
  fromBase64: (text) => Buffer.from(text, 'base64'),
  toHex: (bytes) => viewOf(bytes).toString('hex'),
  fromHex: (digits) => Buffer.from(digits, 'hex'),
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

/** Lets the conversions of bytes be those of Node: rows may be full of them. */
export const useNodeBytes = (): void => convertBytesBy(nodeCodec)
