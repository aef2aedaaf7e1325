// The command as a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { packagesOf } from '../../src/cli/load-package.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { builtPrograms } from '../support/built.ts'

const root = join(import.meta.dirname, '../..')

/** The command and the library, built for the tests of a file. */
export const builtCommand = () => builtPrograms({ cli: 'src/cli.ts', index: 'src/index.ts' })

export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly told: string
}

/** The same without a process, for what ends by itself. */
export async function runHere(
  words: readonly string[],
  { environment = {}, load = packagesOf(root) }: Partial<Pick<Terminal, 'environment' | 'load'>> = {},
): Promise<Outcome> {
  const out: string[] = []
  const told: string[] = []
  const code = await runCommand(words, {
    out: (text) => out.push(text),
    print: (text) => told.push(text),
    environment,
    load,
    templates: join(root, 'templates/board'),
    version: () => '0',
  })
  return { code, out: out.join(''), told: told.join('') }
}

function start(
  program: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  folder = root,
): ChildProcess {
  const { QUERNEL_TOKEN: _own, DATABASE_URL: _other, ...inherited } = process.env
  return spawn(process.execPath, [program, ...words], {
    cwd: folder,
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export async function runToEnd(
  program: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  folder = root,
): Promise<Outcome> {
  const child = start(program, words, environment, folder)
  const [out, told] = [collect(child.stdout), collect(child.stderr)]
  const [code] = await once(child, 'close')
  return { code, out: out.join(''), told: told.join('') }
}

export interface Serving {
  readonly url: string
  readonly out: string
  readonly told: () => string
  /** Ends it as Ctrl+C does, and answers its exit code. */
  end(): Promise<number | null>
}

/** Starts a server on a port that is free, and waits until it invites. */
export async function startServing(
  program: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Serving> {
  const child = start(program, ['serve', ...words, '--port', '0'], environment)
  const told = collect(child.stderr)
  const closed = once(child, 'close')
  let out = ''
  for await (const chunk of child.stdout ?? []) {
    out += String(chunk)
    if (out.includes('Stop it with')) break
  }
  const url = /http:\/\/[^/]+/.exec(out)?.[0]
  if (url === undefined) throw new Error(`It did not start.\n${told.join('')}`)
  const end = async () => {
    child.kill('SIGINT')
    const [code] = await closed
    return code
  }
  return { url, out, told: () => told.join(''), end }
}

function collect(stream: ChildProcess['stdout']): string[] {
  const chunks: string[] = []
  stream?.setEncoding('utf8').on('data', (text: string) => chunks.push(text))
  return chunks
}

export interface Shop {
  readonly folder: string
  readonly file: string
  remove(): void
}

/** A small database in a file. */
export function openShop(): Shop {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-'))
  const file = join(folder, 'shop.db')
  const database = new BetterSqlite(file)
  database.exec(`
    create table authors (id integer primary key, name text not null);
    create table articles (id integer primary key, title text not null, author integer references authors, seen datetime);
    create table pairs (a integer not null, b integer not null, primary key (a, b));
    insert into authors values (1, 'Ada'), (2, 'Grace');
    insert into articles values (1, 'Engines', 1, null), (2, 'Compilers', 2, null);
  `)
  database.close()
  return { folder, file, remove: () => rmSync(folder, { recursive: true }) }
}
