// What clients and the service said to each other over sockets, said again to these.
import { createServer, type Server } from 'node:http'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createHandler, toNode } from '../../../src/http.ts'
import {
  createFeed,
  createSocketHandler,
  type Feed,
  localSource,
  type SocketMode,
  toWs,
} from '../../../src/realtime.ts'
import { openService } from '../../graphql/service.ts'
import { atEnd } from '../../support/at-end.ts'
import { jsonLines } from '../../support/json-lines.ts'
import { portOf } from '../../support/listening.ts'
import { SocketClient } from '../socket-client.ts'
import { transcriptDeviations } from '../transcript-deviations.ts'

interface Step {
  readonly dir: 'connect' | 'send' | 'send-raw' | 'recv' | 'http' | 'closed' | 'refused' | 'sql'
  readonly who?: string
  readonly path?: string
  readonly message?: unknown
  readonly method?: string
  readonly body?: unknown
  readonly text?: string
  readonly code?: number
  readonly status?: number
}

interface Transcript {
  readonly name: string
  readonly mode: SocketMode
  readonly transcript: readonly Step[]
}

/** Of updates in quick succession, the states between are told or not: it is tested apart. */
const quick = 'order: ten quick updates of one item'

const transcripts = jsonLines<Transcript>('realtime/fixture/transcripts.jsonl').filter(
  ({ name }) => !name.includes('graphql:') && name !== quick,
)

const servers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of servers.splice(0).reverse()) await stop()
})

async function open(mode: SocketMode) {
  const service = await openService()
  const feed = createFeed(service.engine, { source: localSource(), settleMs: 1 })
  const { authenticate } = service
  const server: Server = createServer(toNode(createHandler(service.engine, { authenticate })))
  await toWs(createSocketHandler(feed, { authenticate, mode, urlTokens: true, login: () => null }), server)
  const port = await portOf(server)
  atEnd(() => feed.stop())
  return { service, feed, url: `127.0.0.1:${port}` }
}

/** Milliseconds in which a frame comes that is expected, in which one comes that may not, and in which one comes that is too much. */
const [surely, maybe, tooMuch] = [20_000, 1_000, 150]

/** Says what the client said, and returns what it heard. */
async function replay(
  { name, mode, transcript }: Transcript,
  wanted: readonly unknown[],
): Promise<readonly unknown[]> {
  const count = wanted.filter((one) => Object(one).type !== undefined).length
  const { service, feed, url } = await open(mode)
  let client: SocketClient | undefined
  let expected = 0
  for (const { dir, path = '', message, method = 'GET', body, text } of transcript) {
    if (dir === 'recv') {
      expected += 1
      continue
    }
    await client?.heard(expected, transcriptDeviations.has(name) ? maybe : surely)
    if (dir === 'connect') {
      client = new SocketClient(`ws://${url}${path}`)
      await client.ready
    }
    if (dir === 'send' && client?.closed === undefined) client?.send(Object(message))
    if (dir === 'send-raw') client?.send(String(message))
    if (dir === 'sql') await service.run(String(text))
    if (dir === 'http') {
      const removed = /^\/permissions\/(\d+)$/.exec(path)?.[1]
      if (removed !== undefined) {
        service.run(`delete from directus_permissions where id = ${removed}`)
        await feed.recheck()
      } else {
        const response = await fetch(`http://${url}${path.replace(/^\/users\//, '/items/directus_users/')}`, {
          method,
          headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        await response.text()
        await settled(feed)
      }
    }
  }
  await client?.heard(count, surely)
  if (wanted.some((one) => Object(one).closed !== undefined)) await client?.end()
  else await client?.heard(count + 1, tooMuch)
  const heard: unknown[] = (client?.frames ?? []).map(bare)
  if (client?.refused) heard.push({ refused: client.refused.status })
  else if (client?.closed !== undefined) heard.push({ closed: client.closed })
  await client?.close()
  return heard
}

/** Waits until what was written is read: an item that is changed before its creation was looked at was created, and no more. */
async function settled(feed: Feed): Promise<void> {
  await turn()
  while (feed.status().oldest > 0) await pause(1)
}

/** Returns a frame without the texts of errors, which are our own. */
function bare(frame: unknown): unknown {
  const { error, ...members } = Object(frame)
  return error === undefined ? members : { ...members, error: error.code }
}

/** A number and its text are equal, as they are between databases. */
function alike(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(alike)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, alike(inner)]))
}

/** Returns frames without updates that are followed by others: of states that come soon after each other, the last is told. */
const merged = (frames: readonly unknown[]): readonly unknown[] =>
  frames.filter((one, at) => {
    const [{ event, uid }, next] = [Object(one), Object(frames[at + 1])]
    return event !== 'update' || next.event !== event || next.uid !== uid
  })

/** Returns what the client heard of the service. */
function recordedOf({ transcript }: Transcript): readonly unknown[] {
  return transcript.flatMap(({ dir, message, code, status }) => {
    if (dir === 'recv') return [bare(message)]
    if (dir === 'closed') return [{ closed: code }]
    return dir === 'refused' ? [{ refused: status }] : []
  })
}

describe('sockets', { timeout: 120_000 }, () => {
  it.concurrent.each(transcripts)('$name', async (transcript) => {
    const recorded = recordedOf(transcript)
    const deviation = transcriptDeviations.get(transcript.name)
    const heard = await replay(transcript, deviation?.heard ?? recorded)
    if (!deviation) return void expect(alike(heard)).toEqual(alike(recorded))
    expect(alike(merged(heard)), deviation.because).toEqual(alike(merged(deviation.heard)))
    expect(alike(heard), 'It is no deviation any more.').not.toEqual(alike(recorded))
  })

  it('has only deviations of what is recorded', () => {
    const names = new Set(transcripts.map(({ name }) => name))
    expect([...transcriptDeviations.keys()].filter((name) => !names.has(name))).toEqual([])
  })
})
