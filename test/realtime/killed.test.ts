// A server that is killed at any message: whoever comes back holds in the end what a list answers.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atEnd } from '../support/at-end.ts'
import { builtPrograms } from '../support/built.ts'
import { EventReader } from './event-reader.ts'
import { SocketClient } from './socket-client.ts'
import { pause, until } from './tasks.ts'

const programOf = builtPrograms({ 'killed-server': 'test/realtime/killed-server.ts' })

interface Item {
  readonly id: number
}

/** A client that comes again whenever its connection has ended. */
abstract class Returning {
  readonly host: string
  held = new Map<string, Item>()
  /** Messages since the last connection began, and how often one began. */
  messages = 0
  connections = 0
  isOver = false

  constructor(host: string) {
    this.host = host
    void this.#run()
  }

  /** Follows one connection to its end. */
  abstract follow(): Promise<void>

  async #run(): Promise<void> {
    while (!this.isOver) {
      await this.follow().catch(() => undefined)
      await pause(10)
    }
  }

  begin(): void {
    this.connections += 1
    this.messages = 0
  }
}

class EventClient extends Returning {
  #lastEventId = ''
  readonly resets: unknown[] = []

  override async follow(): Promise<void> {
    const response = await fetch(`http://${this.host}/live/tasks?membership=match&limit=-1`, {
      headers: { authorization: 'Bearer ada', 'last-event-id': this.#lastEventId },
    })
    const events = new EventReader(response)
    this.begin()
    for (let heard = await events.next(); heard && !this.isOver; heard = await events.next()) {
      const { items = [], ids = [], set = [], removed = [], reason } = Object(heard.data)
      if (heard.event === 'reset') this.resets.push(reason)
      if (heard.event === 'snapshot')
        this.held = new Map(ids.map((id: string, at: number) => [id, items[at]]))
      for (const id of removed) this.held.delete(id)
      for (const { id, item } of set) this.held.set(id, item)
      this.#lastEventId = heard.lastEventId
      this.messages += 1
    }
  }
}

class FrameClient extends Returning {
  override async follow(): Promise<void> {
    const socket = new SocketClient(`ws://${this.host}/websocket`)
    await socket.ready
    this.begin()
    socket.send({ type: 'auth', access_token: 'ada' })
    socket.send({ type: 'subscribe', collection: 'tasks', query: { limit: -1 }, uid: 'mine' })
    while (socket.closed === undefined && !this.isOver) {
      const { event, data } = (await socket.next()) as { event?: string; data?: readonly unknown[] }
      if (event === 'init') this.held.clear()
      for (const one of data ?? []) {
        if (event === 'delete') this.held.delete(String(one))
        else this.held.set(String(Object(one).id), one as Item)
      }
      if (event !== undefined) this.messages += 1
    }
    socket.terminate()
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

it('a client that comes back to a server killed at any message holds what a list answers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quernel-killed-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [programOf('killed-server'), join(folder, 'file'), String(port)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    atEnd(() => child.kill('SIGKILL'))
    return child
  }
  const clients = [new EventClient(host), new FrameClient(host)] as const
  atEnd(() => {
    for (const client of clients) client.isOver = true
  })
  let child = start()
  for (let kill = 0; kill < 24; kill++) {
    // At each of the first twelve messages: of the events, and of the frames.
    const counted = clients[kill % 2 ? 1 : 0]
    await until(() => counted.messages > Math.floor(kill / 2))
    const before = clients.map(({ connections }) => connections)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    child = start()
    await until(() => clients.every(({ connections }, at) => connections > (before[at] ?? 0)))
  }
  const quiet = once(child, 'message')
  child.send('quiet')
  await quiet
  const response = await fetch(`http://${host}/items/tasks?limit=-1&sort=id`, {
    headers: { authorization: 'Bearer ada' },
  })
  const { data } = (await response.json()) as { data: readonly Item[] }
  expect(data.length).toBeGreaterThan(0)
  const sorted = (held: ReadonlyMap<string, Item>) => [...held.values()].sort((a, b) => a.id - b.id)
  for (const client of clients) {
    await until(() => JSON.stringify(sorted(client.held)) === JSON.stringify(data)).catch(() => undefined)
    expect(sorted(client.held)).toEqual(data)
  }
  // Each new process said that it knows nothing of what was before.
  expect(clients[0].resets.length).toBeGreaterThan(15)
})
