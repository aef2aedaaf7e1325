// A project of a host in a folder of its own: it finds the library as it is built, and all other packages here.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { builtPrograms } from './built.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const entries = {
  index: 'src/index.ts',
  sqlite: 'src/sqlite.ts',
  postgres: 'src/postgres.ts',
  http: 'src/http.ts',
  realtime: 'src/realtime.ts',
  flows: 'src/flows.ts',
  client: 'src/client.ts',
}

export interface BoardProject {
  readonly folder: () => string
  write(files: ReadonlyMap<string, string>): void
  /** Starts `server.ts`, of a folder in it where one is named, and returns its address. */
  start(environment?: NodeJS.ProcessEnv, within?: string): Promise<string>
  /** Ends the server as a platform does, and returns its exit code. */
  stop(): Promise<number | null>
  /** Runs Node to its end, and returns what it printed. */
  run(words: readonly string[], environment?: NodeJS.ProcessEnv, within?: string): Promise<string>
}

/** Makes an empty project for the tests of a file.
 *  @example const board = openBoardProject() */
export function openBoardProject(): BoardProject {
  const programOf = builtPrograms(entries)
  let folder = ''
  let server: ChildProcess | undefined
  beforeAll(() => {
    folder = mkdtempSync(join(root, 'node_modules/.cache/quernel-board-'))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(dirname(dirname(programOf('index'))), join(folder, 'node_modules/quernel'))
  })
  const spawned = (words: readonly string[], environment: NodeJS.ProcessEnv = {}, within = '.') => {
    const { DATABASE_URL: _own, ...inherited } = process.env
    const options = { cwd: join(folder, within), env: { ...inherited, ...environment } }
    return spawn(process.execPath, words, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  }
  const stop = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return server?.exitCode ?? null
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    const [code] = await ended
    return code
  }
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder: () => folder,
    write: (files) => {
      for (const [path, text] of files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
    },
    start: async (environment, within) => {
      await stop()
      const port = String(await freePort())
      server = spawned(['--import', 'tsx', 'server.ts'], { PORT: port, ...environment }, within)
      let said = ''
      for await (const chunk of server.stdout ?? []) {
        said += String(chunk)
        const [address] = /http:\/\/localhost:\d+/.exec(said) ?? []
        if (address !== undefined) return address
      }
      throw new Error(`It did not start. ${said}`)
    },
    stop,
    run: async (words, environment, within) => {
      const child = spawned(words, environment, within)
      let said = ''
      for await (const chunk of child.stdout ?? []) said += String(chunk)
      return said
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0)
  await once(probe, 'listening')
  const { port } = Object(probe.address())
  probe.close()
  await once(probe, 'close')
  return port
}
