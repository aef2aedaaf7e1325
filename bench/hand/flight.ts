import type { Writable } from 'node:stream'
import type { Pool, QueryConfig, QueryResult } from 'pg'

/** Sends statements together on a connection that pipelines, and answers the result of each. What was sent with its commit cannot be taken
 *  back, so each has to write nothing by itself where it may not. */
export async function flight(
  pool: Pool,
  statements: readonly (string | QueryConfig)[],
): Promise<readonly QueryResult[]> {
  const client = await pool.connect()
  // The types of pg leave it out.
  const { stream } = (client as unknown as Wired).connection
  // All in one packet.
  stream.cork()
  const sent = statements.map((statement) => client.query(statement))
  stream.uncork()
  try {
    return await Promise.all(sent)
  } catch (error) {
    await Promise.allSettled(sent)
    throw error
  } finally {
    client.release()
  }
}

interface Wired {
  readonly connection: { readonly stream: Writable }
}
