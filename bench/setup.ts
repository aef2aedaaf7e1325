// Before anything is measured: the peers are installed, which have a package of their own, so that whoever works on the
// library need not; and the library is built, because a loader that compiles its source on the way adds calls of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'tsup'
import { home, modules } from './installed.ts'

installPeers()
await build({
  outDir: join(home, 'generated/quernel'),
  format: 'esm',
  dts: false,
  silent: true,
})

/** Installs the peers, unless those of the lock file are there already, with clients for the tables as they are. */
function installPeers(): void {
  const asked = [
    'package-lock.json',
    'peers/prisma-sqlite.prisma',
    'peers/prisma-postgres.prisma',
    'peers/zenstack-reads.zmodel',
    'peers/zenstack-written.zmodel',
    'peers/zenstack-related.zmodel',
  ]
  const wanted = asked.map((name) => readFileSync(join(home, name), 'utf8')).join('\n')
  const mark = join(modules, '.installed-for-bench')
  const isMade = ['sqlite', 'postgres', 'pothos', 'zenstack'].every((name) =>
    existsSync(join(home, 'generated', name)),
  )
  if (isMade && existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return
  console.log('Installing the peers …')
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  // All contestants are to use the same copies: those of the library's own tests.
  for (const shared of ['better-sqlite3', 'pg', 'sharp', 'zod', '@types']) {
    rmSync(join(modules, shared), { recursive: true, force: true })
  }
  // ZenStack works with another Kysely and another TypeScript, which nobody else is to find.
  const apart = join(modules, '@zenstackhq/node_modules')
  mkdirSync(apart)
  for (const own of ['kysely', 'typescript']) renameSync(join(modules, own), join(apart, own))
  npm(['run', '--silent', 'generate'])
  writeFileSync(mark, wanted)
}

function npm(words: readonly string[]): void {
  // The variable names a program that is never run; without it, one would be downloaded.
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
  }
  const shell = process.platform === 'win32'
  execFileSync('npm', words, { cwd: home, env, stdio: ['ignore', 'ignore', 'inherit'], shell })
}
