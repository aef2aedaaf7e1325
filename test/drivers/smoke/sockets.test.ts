// Sockets and event streams in Bun and Deno, by the blocks of the documentation.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { EventReader } from '../../realtime/event-reader.ts'
import { SocketClient } from '../../realtime/socket-client.ts'
import { type Runtime, runtimes } from './runtimes.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(root, 'test/docs/generated')

/** Ports of their servers. */
const ports: Readonly<Record<Runtime['name'], string>> = { bun: 'server.port', deno: 'server.addr.port' }

/** The blocks of the page, as a program that does what it is told. */
function programOf(name: Runtime['name']): string {
  const page = readFileSync(join(root, 'docs/frameworks.md'), 'utf8')
  const blocks = [...page.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const blockWith = (text: string): string => {
    const [block, ...others] = blocks.filter((one) => one.includes(text))
    if (block === undefined || others.length > 0) throw new Error(`One block of the page has ${text}.`)
    return block
  }
  const [start, stop] = blockWith(`crossws/adapters/${name}`).split('// to stop it')
  return [
    `import { obey, openLive, port, stopLive } from '../../drivers/smoke/programs/live.ts'`,
    ...[blockWith('defineHooks'), start, `await obey(${ports[name]})`, stop],
  ].join('\n')
}

it.each(runtimes)('$name tells of changes by events and over a socket, and ends', async (runtime) => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `sockets-${runtime.name}.ts`)
  writeFileSync(file, programOf(runtime.name))
  const [program = '', ...options] = runtime.command
  const child = spawn(program, [...options, file], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    const [port] = await once(createInterface(child.stdout), 'line')
    const host = `127.0.0.1:${port}`
    const path = '/api/live/articles?fields=title'
    expect((await fetch(`http://${host}${path}`)).status).toBe(401)
    const live = await fetch(`http://${host}${path}`, { headers: { authorization: 'Bearer secret' } })
    const events = new EventReader(live)
    expect(await events.next()).toMatchObject({ data: { items: [{ title: 'Engines' }] } })
    const foreign = new SocketClient(`ws://${host}/api/websocket`, {
      headers: { origin: 'https://evil.example' },
    })
    await foreign.ready
    expect(foreign.refused?.status).toBe(403)
    const socket = new SocketClient(`ws://${host}/api/websocket`)
    await socket.ready
    expect(await socket.ask({ type: 'auth', access_token: 'secret' })).toMatchObject({ status: 'ok' })
    const subscribe = { type: 'subscribe', collection: 'articles', query: { fields: ['title'] } }
    expect(await socket.ask(subscribe)).toMatchObject({ event: 'init', data: [{ title: 'Engines' }] })
    child.stdin.write('Looms\n')
    expect(await events.next()).toMatchObject({ data: { set: [{ item: { title: 'Looms' } }] } })
    expect(await socket.next()).toMatchObject({ event: 'update', data: [{ title: 'Looms' }] })
    child.stdin.write('stop\n')
    expect(await socket.end()).toBe(1001)
    expect(await events.next()).toBeUndefined()
    child.stdin.end()
    expect(await ended).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    rmSync(file, { force: true })
  }
})
