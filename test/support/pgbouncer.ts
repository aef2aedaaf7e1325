import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Pooler {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a PgBouncer in transaction mode before a server, with fewer connections of the server than clients have. It comes from Debian's
 *  package `pgbouncer`.
 *  @example const pooler = await startPgBouncer(inject('postgres').c) */
export async function startPgBouncer(server: string): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const target = new URL(server)
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(settings, settingsOf(target, port), { mode: 0o644 })
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const process_ = spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints: string[] = []
  process_.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text))
  const stop = async () => {
    await ended(process_)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.race([listening(port), failed(process_, complaints)])
  } catch (error) {
    await stop()
    throw error
  }
  const url = new URL(server)
  url.port = String(port)
  return { url: url.href, stop }
}

const settingsOf = (target: URL, port: number) => `
[databases]
* = host=${target.hostname} port=${target.port} user=${decodeURIComponent(target.username)} password=${decodeURIComponent(target.password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 100
ignore_startup_parameters = extra_float_digits,options
`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  server.close()
  await once(server, 'close')
  return port
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function failed(child: ChildProcess, complaints: readonly string[]): Promise<never> {
  const [reason] = await Promise.race([once(child, 'exit'), once(child, 'error')])
  throw new Error(
    `PgBouncer did not start (${String(reason)}). It is Debian's package "pgbouncer".\n${complaints.join('')}`,
  )
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGINT')
  await exit
}
