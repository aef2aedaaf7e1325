import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

export interface PostgresServer {
  /** A connection string of a superuser. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts a PostgreSQL server of our own on a free port, with its data in a temporary directory.
 *  @example const server = await startPostgres() */
export async function startPostgres(): Promise<PostgresServer> {
  const keeper = fork(fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url)), {
    execArgv: ['--import', createRequire(import.meta.url).resolve('tsx')],
    // In a process group of its own, so that Ctrl-C reaches the tests first and the server last.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const exited = once(keeper, 'exit')
  const complaints: string[] = []
  keeper.stderr?.setEncoding('utf8').on('data', (text: string) => complaints.push(text))

  const url = await Promise.race([
    once(keeper, 'message').then(([message]) => String(message)),
    exited.then(() => Promise.reject(new Error(`PostgreSQL did not start.\n${complaints.join('')}`))),
  ])
  const stop = async () => {
    if (keeper.connected) keeper.disconnect()
    await exited
  }
  return { url, stop }
}
