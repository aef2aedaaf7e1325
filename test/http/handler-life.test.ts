// Start and stop of a handler and its mounts.
import { createServer, type Server } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler, type Mount, type MountFunction, toNode } from '../../src/http.ts'
import { createEngine, defineSchema, type Engine } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { portOf } from '../support/listening.ts'

const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
let engine: Engine<typeof schema>

beforeAll(async () => {
  const database = await openSqlite()
  await database.run('create table tags (id integer primary key)')
  engine = createEngine({ db: database.db, schema })
})

const authenticate = () => ({ admin: true })
const errors: unknown[] = []
const onError = (error: unknown) => void errors.push(error)
const handlerOf = (...mounts: readonly Mount[]) => createHandler(engine, { authenticate, mounts, onError })
const get = (path: string, method = 'GET') => new Request(`http://localhost${path}`, { method })

const at = (path: string, answer: MountFunction, more: Partial<Mount> = {}): Mount => ({
  routes: () => [{ path, methods: { GET: answer } }],
  ...more,
})

/** Events as long as somebody reads them. */
function ticking(events: string[] = [], type = 'text/event-stream'): MountFunction {
  return async () => {
    const source = async function* () {
      events.push('begun')
      try {
        for (;;) {
          yield new TextEncoder().encode('data: tick\n\n')
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
      } finally {
        events.push('ended')
      }
    }
    return { status: 200, headers: { 'content-type': type }, body: ReadableStream.from(source()) }
  }
}

async function listening(...mounts: readonly Mount[]) {
  const handler = handlerOf(...mounts)
  const server = createServer(toNode(handler))
  const port = await portOf(server)
  return { handler, server, url: `http://localhost:${port}` }
}

const closed = (server: Server) => new Promise((resolve) => server.close(resolve))

describe('the start of a handler', () => {
  const recorded = (name: string, events: string[], start?: () => void): Mount => ({
    routes: () => [],
    start: (given) => {
      events.push(`start ${name}${given === engine ? '' : ' of another engine'}`)
      start?.()
    },
    stop: async () => void events.push(`stop ${name}`),
  })

  it('starts mounts in their order, once, and its stop ends them in reverse', async () => {
    const events: string[] = []
    const handler = handlerOf(recorded('a', events), { routes: () => [] }, recorded('b', events))
    expect(events).toEqual([])
    expect(handler.start()).toBe(handler.start())
    await handler.start()
    expect(events).toEqual(['start a', 'start b'])
    expect(handler.stop()).toBe(handler.stop({ drainMs: 1 }))
    await handler.stop()
    expect(events).toEqual(['start a', 'start b', 'stop b', 'stop a'])
    await expect(handler.start()).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
  })

  it('rejects with what a mount throws, stops those that have begun, and may be tried again', async () => {
    const events: string[] = []
    const failures = [new Error('no queue')]
    const fail = () => {
      const failure = failures.pop()
      if (failure) throw failure
    }
    const handler = handlerOf(
      recorded('a', events),
      recorded('b', events),
      recorded('c', events, fail),
      recorded('d', events),
    )
    await expect(handler.start()).rejects.toThrow('no queue')
    expect(events.splice(0)).toEqual(['start a', 'start b', 'start c', 'stop b', 'stop a'])
    await handler.start()
    await handler.stop()
    expect(events).toEqual([
      ...['start a', 'start b', 'start c', 'start d'],
      ...['stop d', 'stop c', 'stop b', 'stop a'],
    ])
  })

  it('is waited for by a stop', async () => {
    const events: string[] = []
    const slow: Mount = {
      routes: () => [],
      start: async () => {
        await new Promise((resolve) => setTimeout(resolve, 10))
        events.push('started')
      },
      stop: () => void events.push('stopped'),
    }
    const handler = handlerOf(slow)
    const starting = handler.start()
    await handler.stop()
    await starting
    expect(events).toEqual(['started', 'stopped'])
  })

  it('is no condition of a stop for a mount that needs none', async () => {
    const events: string[] = []
    const handler = handlerOf(recorded('a', events), {
      routes: () => [],
      stop: () => void events.push('stop b'),
    })
    await handler.stop()
    expect(events).toEqual(['stop b'])
  })

  it.each([
    [{ routes: () => [], start: 1 }, 'A mount needs "start", a function, not 1.'],
    [{ routes: () => [], stop: {} }, 'A mount needs "stop", a function'],
  ])('is a function: %#', (mount, says) => {
    expect(() => createHandler(engine, { authenticate, mounts: [mount as never] })).toThrow(says) // as JavaScript may have it
  })
})

describe('the stop of a handler', () => {
  it('answers further requests with 503 and Retry-After, also while it waits', async () => {
    const answers: (() => void)[] = []
    const waiting = at('/waiting', async () => {
      await new Promise<void>((resolve) => answers.push(resolve))
      return { status: 200, headers: {}, body: 'late' }
    })
    const { handler, server, url } = await listening(waiting)
    const late = fetch(`${url}/waiting`)
    await expect.poll(() => answers.length).toBe(1)
    const stopping = handler.stop()
    for (const refused of [await handler(get('/items/tags')), await fetch(`${url}/waiting`)])
      expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
        503,
        '1',
        { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
      ])
    for (const answer of answers) answer()
    expect(await (await late).text()).toBe('late')
    await stopping
    expect((await handler(get('/items/tags'))).status).toBe(503)
    await closed(server)
  })

  it('ends streams of events, tells their source, and stops mounts behind that', async () => {
    const events: string[] = []
    const mount = at('/ticks', ticking(events), { stop: () => void events.push('stopped') })
    const { handler, server, url } = await listening(mount)
    const overNode = await fetch(`${url}/ticks`)
    const direct = await handler(get('/ticks'))
    const reads = [overNode.text(), direct.text()]
    await expect.poll(() => events).toEqual(['begun', 'begun'])
    await handler.stop()
    expect(events).toEqual(['begun', 'begun', 'ended', 'ended', 'stopped'])
    for (const read of await Promise.all(reads)) expect(read).toMatch(/^(data: tick\n\n)+$/)
    await closed(server)
    expect(errors.splice(0)).toEqual([])
  })

  it('lets other streams be written to their end', async () => {
    const short = at('/short', async () => ({
      status: 200,
      headers: {},
      body: ReadableStream.from(
        (async function* () {
          for (const word of ['a', 'b', 'c']) {
            await new Promise((resolve) => setTimeout(resolve, 5))
            yield new TextEncoder().encode(word)
          }
        })(),
      ),
    }))
    const { handler, server, url } = await listening(short)
    const whole = (await fetch(`${url}/short`)).text()
    await handler.stop({ drainMs: 60_000 })
    expect(await whole).toBe('abc')
    await closed(server)
    expect(errors.splice(0)).toEqual([])
  })

  it('breaks them off when the time is over', async () => {
    const events: string[] = []
    const endless = at('/endless', ticking(events, 'application/x-ndjson'))
    const { handler, server, url } = await listening(endless)
    const broken = [(await fetch(`${url}/endless`)).text(), (await handler(get('/endless'))).text()]
    const settled = Promise.allSettled(broken)
    await handler.stop({ drainMs: 50 })
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect.poll(() => events).toEqual(['begun', 'begun', 'ended', 'ended'])
    await closed(server)
    expect(errors.splice(0)).toEqual([])
  })

  it('ends a stream that answers while it waits', async () => {
    const events: string[] = []
    let answer = () => {}
    const late = at('/late', async (caller, request) => {
      await new Promise<void>((resolve) => {
        answer = resolve
        events.push('waiting')
      })
      return ticking(events)(caller, request)
    })
    const handler = handlerOf(late)
    const response = handler(get('/late'))
    await expect.poll(() => events).toEqual(['waiting'])
    const stopping = handler.stop()
    answer()
    expect(await (await response).text()).toBe('')
    await stopping
    expect(errors.splice(0)).toEqual([])
  })

  it('waits no longer than it may', async () => {
    const events: string[] = []
    const never = at('/never', () => new Promise(() => events.push('waiting')), {
      stop: () => void events.push('stopped'),
    })
    const handler = handlerOf(never)
    void handler(get('/never'))
    await expect.poll(() => events).toEqual(['waiting'])
    await handler.stop({ drainMs: 0 })
    expect(events).toEqual(['waiting', 'stopped'])
  })

  it('rejects with what a mount throws, when all were stopped', async () => {
    const events: string[] = []
    const failing = { routes: () => [], stop: () => Promise.reject(new Error('no stop')) }
    const handler = handlerOf({ routes: () => [], stop: () => void events.push('stopped') }, failing)
    await expect(handler.stop()).rejects.toThrow('no stop')
    expect(events).toEqual(['stopped'])
  })

  it.each([[-1], [Number.NaN], ['1']])('takes milliseconds, and not %s', async (drainMs) => {
    const handler = handlerOf()
    expect(() => handler.stop({ drainMs: drainMs as number })).toThrow(
      '"drainMs" is a number of milliseconds',
    )
    expect((await handler(get('/items/tags'))).status).toBe(200)
    await handler.stop({ drainMs: Number.POSITIVE_INFINITY })
  })

  it('waits for nobody who has left', async () => {
    const events: string[] = []
    const { handler, server, url } = await listening(at('/endless', ticking(events, 'application/x-ndjson')))
    const leaving = new AbortController()
    const overNode = await fetch(`${url}/endless`, { signal: leaving.signal })
    await overNode.body?.getReader().read()
    const direct = (await handler(get('/endless'))).body?.getReader()
    await direct?.read()
    leaving.abort()
    await direct?.cancel()
    await handler.stop({ drainMs: Number.POSITIVE_INFINITY })
    expect(events).toEqual(['begun', 'begun', 'ended', 'ended'])
    await closed(server)
    expect(errors.splice(0)).toEqual([])
  })

  it('says so to pages of other origins, too', async () => {
    const handler = createHandler(engine, { authenticate, cors: { origins: ['https://app.example.org'] } })
    await handler.stop()
    const { status, headers } = await handler(
      new Request('http://localhost/items/tags', { headers: { origin: 'https://app.example.org' } }),
    )
    expect([status, headers.get('access-control-allow-origin')]).toEqual([503, 'https://app.example.org'])
  })

  it('ends streams of HEAD before that', async () => {
    const events: string[] = []
    const handler = handlerOf(at('/ticks', ticking(events)))
    expect((await handler(get('/ticks', 'HEAD'))).status).toBe(200)
    await handler.stop({ drainMs: Number.POSITIVE_INFINITY })
  })
})

it('leaves nothing of 200 handlers that were stopped with open streams', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate')
  const counts = (names: readonly string[]) => {
    const byName: Record<string, number> = {}
    for (const name of names) byName[name] = (byName[name] ?? 0) + 1
    return byName
  }
  const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)])
  const signal = new AbortController()
  let open = 0
  const counted: MountFunction = async () => {
    open += 1
    const clock: { current?: ReturnType<typeof setInterval> } = {}
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        clock.current = setInterval(() => controller.enqueue(new TextEncoder().encode('data: 1\n\n')), 1)
      },
      cancel: () => {
        clearInterval(clock.current)
        open -= 1
      },
    })
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
  }
  const before = { timers: counts(timers()), listeners: listeners() }
  for (let round = 0; round < 10; round++)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const clock: { current?: ReturnType<typeof setInterval> } = {}
        const { handler, server, url } = await listening(
          at('/open', counted, {
            start: () => {
              clock.current = setInterval(() => undefined, 1)
            },
            stop: () => clearInterval(clock.current),
          }),
        )
        await handler.start()
        const agentOff = { headers: { connection: 'close' } }
        const overNode = await fetch(`${url}/open`, agentOff)
        const direct = await handler(new Request('http://localhost/open', { signal: signal.signal }))
        const reader = direct.body?.getReader()
        await reader?.read()
        await handler.stop()
        await overNode.text()
        for (let isOver = false; !isOver; ) isOver = (await reader?.read())?.done ?? true
        await closed(server)
      }),
    )
  expect(open).toBe(0)
  // What others have left may have ended meanwhile.
  const added = () =>
    Object.entries(counts(timers())).filter(([name, count]) => count > (before.timers[name] ?? 0))
  await expect.poll(added).toEqual([])
  expect(listeners()).toEqual(before.listeners)
  expect(errors.splice(0)).toEqual([])
}, 60_000)
