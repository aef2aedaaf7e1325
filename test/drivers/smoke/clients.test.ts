// The client in Bun and Deno.
import { execFile, execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openSockets } from '../../realtime/socket-server.ts'

const runtimes: readonly (readonly [string, readonly string[]])[] = [
  ['bun', [join(createRequire(import.meta.url).resolve('bun/package.json'), '../bin/bun.exe')]],
  ['deno', [process.env.DENO ?? 'deno', 'run', '--allow-all', '--no-check']],
]

function starts([program = '']: readonly string[]): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

it.each(runtimes)('the client reads, writes and watches in %s', async (_, command) => {
  if (!starts(command)) return expect(starts(command)).toBe(false)
  const { url } = await openSockets()
  const [program = '', ...options] = command
  const file = join(import.meta.dirname, 'programs/client.ts')
  const { stdout } = await promisify(execFile)(program, [...options, file, `http://${url}`])
  const titles = (...all: readonly string[]) => all.map((title) => ({ title }))
  expect(JSON.parse(stdout)).toEqual([
    { state: 'live', items: titles('Cook', 'Hide', 'Paint', 'Write') },
    { state: 'live', items: titles('Bake', 'Cook', 'Hide', 'Paint', 'Write') },
    401,
  ])
})
