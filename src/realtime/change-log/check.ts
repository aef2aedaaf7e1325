// Looks at a change log: what is logged, and how much it holds.

import type { Engine } from '../../engine/engine.ts'
import type { Schema } from '../../schema/model.ts'
import { wholeEngine } from './install.ts'
import { ask, dangerOf, factsOf, findChangeLog, flawOf, obstacleOf, strangersInLog } from './logged-tables.ts'
import { hasTables } from './plan-installation.ts'

/** A change log, as it is found. */
export interface ChangeLogStatus {
  /** False if there is none in this database. */
  readonly isInstalled: boolean
  /** Number of entries. */
  readonly rows: number
  readonly bytes: number
  /** When the oldest entry was made; null if there is none. */
  readonly oldest: Date | null
  /** The collections whose changes are logged. */
  readonly logged: readonly string[]
  /** Those whose triggers do not log all changes, each with the reason. */
  readonly broken: readonly BrokenLog[]
  /** Those that cannot be logged, each with the reason: views, and tables without a key. */
  readonly refused: readonly BrokenLog[]
  /** Sentences on parts of the log, or of the tables under it, that another role owns: its code there would run with the rights of others. */
  readonly unsafe: readonly string[]
}

/** A collection whose changes are not all in the change log. */
export interface BrokenLog {
  readonly collection: string
  /** The reason, behind the name of the collection. */
  readonly reason: string
}

/** Checks the change log: which collections it covers, where triggers are missing, disabled or older than the schema, and how much it holds.
 *  @example (await checkChangeLog(engine)).isInstalled // → false */
export async function checkChangeLog<S extends Schema>(engine: Engine<S>): Promise<ChangeLogStatus> {
  const own = wholeEngine(engine)
  const log = await findChangeLog(own)
  const collections = [...own.schema.collections.values()]
  const isThere = await hasTables(log)
  const danger = isThere ? await dangerOf(log) : undefined
  const unsafe = new Set([...(danger ? [danger] : []), ...(await strangersInLog(log, collections, false))])
  // Without its row of settings the log is not read.
  const isRead = isThere && danger === undefined && (await ask(own, log.phrases.kept)).length > 0
  const [size] = isRead ? await ask(own, log.phrases.size) : []
  const logged: string[] = []
  const broken: BrokenLog[] = []
  const refused: BrokenLog[] = []
  const oldest = size?.[2] ?? null
  for (const [collection, facts] of await factsOf(log, collections)) {
    const { name } = collection
    const obstacle = obstacleOf(collection, facts)
    const reason = flawOf(collection, facts)
    if (obstacle !== undefined) refused.push({ collection: name, reason: obstacle })
    else if (reason === undefined) logged.push(name)
    else if (facts.found.length > 0) broken.push({ collection: name, reason })
  }
  return {
    isInstalled: isRead || danger !== undefined,
    rows: Number(size?.[0] ?? 0),
    bytes: Number(size?.[1] ?? 0),
    oldest: oldest === null ? null : new Date(Number(oldest)),
    logged,
    broken,
    refused,
    unsafe: [...unsafe].map((sentence) => `The change log is not safe: ${sentence}.`),
  }
}
