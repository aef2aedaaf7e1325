// The peers have a small package of their own, so that whoever works on the library need not install them.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = fileURLToPath(new URL('.', import.meta.url))
const modules = join(home, 'node_modules')

/** Installs the peers, unless those of the lock file are there already. */
export function installPeers(): void {
  const lock = readFileSync(join(home, 'package-lock.json'), 'utf8')
  const mark = join(modules, '.installed-for-bench')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return
  console.log('Installing the peers …')
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  // All contestants are to use the same copies of the drivers: those of the library's own tests.
  for (const driver of ['better-sqlite3', 'pg', '@types'])
    rmSync(join(modules, driver), { recursive: true, force: true })
  npm(['run', '--silent', 'generate'])
  writeFileSync(mark, lock)
}

function npm(words: readonly string[]): void {
  // The variable names a program that is never run; without it, one would be downloaded.
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
  }
  execFileSync('npm', words, {
    cwd: home,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}

/** The version of an installed package. */
export function versionOf(name: string): string {
  const places = [join(modules, name), join(home, '../node_modules', name)]
  const file = places.map((place) => join(place, 'package.json')).find((file) => existsSync(file))
  const manifest: { readonly version: string } = file
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { version: 'absent' }
  return manifest.version
}
