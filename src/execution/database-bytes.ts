import type { HostDatabase } from '../dialects/host.ts'
import type { Database, Options } from './database.ts'
import { connected } from './execute.ts'
import { attemptOr } from './report-errors.ts'
import { compiled } from './statement-timeout.ts'

interface Known {
  /** Undefined if they say nothing about the bytes of answers: a view may show a value any number of times. */
  readonly bytes: number | undefined
  /** When it was asked for, in milliseconds of the process. */
  readonly at: number
}

const known = new WeakMap<HostDatabase, Known>()
/** A database does not grow by much meanwhile. */
const keptMs = 1_000

/** Returns the bytes of a whole database as of a second ago at most; infinite if it was not asked for them. Undefined if they say nothing about
 *  the bytes of its answers. */
export function knownBytes({ home, dialect }: Database): number | undefined {
  if (!dialect.storedBytes) return undefined
  const found = known.get(home)
  return found && performance.now() - found.at < keptMs ? found.bytes : Number.POSITIVE_INFINITY
}

/** Asks for these bytes, unless they are known. It is no statement of the caller's, so it is not reported. */
export async function databaseBytes(database: Database, options: Options): Promise<number | undefined> {
  const { home, dialect } = database
  const { storedBytes } = dialect
  const found = knownBytes(database)
  if (!storedBytes || found !== Number.POSITIVE_INFINITY) return found
  const at = performance.now()
  const bytes = await connected(database, options, async (connection) => {
    const ask = async () => (await connection.executeQuery<object>(compiled(storedBytes, database))).rows
    // Without a result the size is not known, and the bytes of answers are added up.
    const [row] = await ask().catch((error: unknown) => {
      // Some services do not allow the question.
      if (dialect.writeLock?.isRefused(error)) return []
      return attemptOr(() => Promise.reject(error), [], database.onError)
    })
    const stored: unknown = row === undefined ? Number.POSITIVE_INFINITY : Object.values(row)[0]
    return stored === null ? undefined : Number(stored)
  })
  known.set(home, { bytes, at })
  return bytes
}
