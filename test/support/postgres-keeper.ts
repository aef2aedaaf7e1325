// A process between the tests and their PostgreSQL server. It sends the server's address to its parent, and when the
// parent is gone, for whatever reason, stops the server and removes its data: even `kill -9` leaves nothing behind.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchPostgres } from './postgres-server.ts'

const prefix = 'quernel-postgres-'

const end = new AbortController()
process.once('disconnect', () => end.abort())
// The parent may have been gone before anyone listened.
if (!process.connected) end.abort()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort())

await removeLeftovers()
const home = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
try {
  const server = await launchPostgres(home, end.signal)
  process.send?.(server.url, undefined, undefined, (error) => error && end.abort())
  await server.ended
} catch (error) {
  if (!end.signal.aborted) console.error(error)
} finally {
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(end.signal.aborted ? 0 : 1)

/** Clears up after keepers that were killed themselves. A server that misses its data ends within a minute. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
    if (!(owner > 0) || isRunning(owner)) continue
    // What another user left is not ours to remove, nor in our way.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})
  }
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
