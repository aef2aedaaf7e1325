// The client in Bun and Deno.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openSockets } from '../../realtime/socket-server.ts'
import { runtimes } from './runtimes.ts'

it.each(runtimes)('the client reads, writes and watches in $name', async ({ command }) => {
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
