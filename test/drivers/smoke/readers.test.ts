// Threads that read, in Bun and Deno.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { runtimes } from './runtimes.ts'

it.each(runtimes)('$name reads SQLite in threads, ends their statements, and itself', async ({ command }) => {
  const [program = '', ...options] = command
  const file = join(import.meta.dirname, 'programs/readers.ts')
  const { stdout } = await promisify(execFile)(program, [...options, file])
  const late = 'The database took longer than 50 milliseconds.'
  expect(JSON.parse(stdout)).toEqual([
    { data: [{ parent: 1, count: 30_001 }] },
    true,
    30_001,
    'attempt to write a readonly database',
    late,
    late,
    late,
    { data: [{ id: 1 }, { id: 3 }] },
    'The file cannot be opened for reading.',
  ])
})
