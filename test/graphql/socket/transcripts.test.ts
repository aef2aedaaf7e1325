// What clients and the service said to each other over sockets of GraphQL, said again to these.
import { describe, expect, it } from 'vitest'
import { createItem, deleteItem, updateItem } from '../../../src/index.ts'
import type { SocketMode } from '../../../src/realtime.ts'
import { SocketClient } from '../../realtime/socket-client.ts'
import { jsonLines } from '../../support/json-lines.ts'
import { openService } from '../service.ts'
import { openSockets, subscribed } from './sockets.ts'

interface Step {
  readonly dir: 'connect' | 'send' | 'send-raw' | 'recv' | 'http' | 'closed'
  readonly path?: string
  readonly protocols?: string[]
  readonly message?: Readonly<Record<string, unknown>>
  readonly method?: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly code?: number
}

interface Transcript {
  readonly name: string
  readonly mode: SocketMode
  readonly transcript: readonly Step[]
}

const transcripts = jsonLines<Transcript>('realtime/fixture/transcripts.jsonl').filter(({ name }) =>
  name.includes('graphql:'),
)

/** Answers that are others here, and why. */
const deviations: Readonly<Record<string, { readonly because: string; readonly heard: readonly unknown[] }>> =
  {
    'graphql: filter argument': {
      because: 'The argument "filter" is ours.',
      heard: [{ type: 'connection_ack' }],
    },
    'graphql: query over the socket': {
      because: 'It fails there.',
      heard: [
        { type: 'connection_ack' },
        { id: '1', type: 'next', payload: { data: { tags: [{ id: '1' }] } } },
        { id: '1', type: 'complete' },
      ],
    },
    'graphql: invalid messages': {
      because: 'The protocol says so; clients of it do not know that frame.',
      heard: [{ type: 'connection_ack' }, { closed: 4400 }],
    },
    'graphql: public: anonymous': {
      because: 'A request that is refused is an error.',
      heard: [{ type: 'connection_ack' }, { id: '1', type: 'error', payload: ['INVALID_QUERY'] }],
    },
  }

/** Says what the client said, and returns what it heard. */
async function replay({ mode, transcript }: Transcript, count: number): Promise<readonly unknown[]> {
  const service = await openService()
  const { engine, authenticate } = service
  const { url, feed } = await openSockets(engine, { authenticate, mode, urlTokens: true })
  let client: SocketClient | undefined
  let expected = 0
  let subscriptions = 0
  const fails = transcript.some(({ message }) => message?.type === 'error')
  for (const { dir, path = '', protocols = [], message, method, body } of transcript) {
    if (dir === 'recv') {
      if (message?.type !== 'next') expected += 1
      continue
    }
    await client?.heard(expected, 2_000)
    if (dir === 'connect') {
      client = new SocketClient(url.replace('/graphql', path), { protocols })
      await client.ready
    }
    if (dir === 'send' && client?.closed === undefined) {
      client?.send(Object(message))
      const { query } = Object(message?.payload)
      if (message?.type === 'subscribe' && String(query).startsWith('subscription')) subscriptions += 1
    }
    if (dir === 'send-raw') client?.send(String(message))
    if (dir !== 'http') continue
    if (!fails) await subscribed(feed, subscriptions)
    const [, , collection = '', key = ''] = path.split('/')
    if (path === '/users/me')
      await updateItem(engine, 'directus_users', '2516410d-70a0-45ff-83e6-195da0962478', body ?? {})
    else if (method === 'POST') await createItem(engine, collection, body ?? {})
    else if (method === 'PATCH') await updateItem(engine, collection, key, body ?? {})
    else await deleteItem(engine, collection, key)
    // Each of them is told.
    await subscribed(feed, subscriptions)
  }
  await client?.heard(count, 10_000)
  await client?.heard(count + 1, 150)
  const heard: unknown[] = (client?.frames ?? []).map(bare)
  if (client?.closed !== undefined) heard.push({ closed: client.closed })
  await client?.close()
  return heard
}

/** Returns a frame without the texts of errors, which are our own. */
function bare(frame: unknown): unknown {
  const { type, payload, ...members } = Object(frame)
  if (type !== 'error') return frame
  return { ...members, type, payload: payload.map(({ extensions }: never) => Object(extensions).code) }
}

function recordedOf({ transcript }: Transcript): readonly unknown[] {
  return transcript.flatMap(({ dir, message, code }) => {
    if (dir === 'closed') return [{ closed: code }]
    if (dir !== 'recv') return []
    const { type, id } = Object(message)
    return [type === 'error' ? { type, id, payload: ['INVALID_QUERY'] } : message]
  })
}

describe('GraphQL over sockets', { timeout: 120_000 }, () => {
  it.each(transcripts)('$name', async (transcript) => {
    const recorded = recordedOf(transcript)
    const deviation = deviations[transcript.name]
    const expected = deviation?.heard ?? recorded
    const heard = await replay(transcript, expected.filter((one) => Object(one).type !== undefined).length)
    expect(heard, deviation?.because).toEqual(expected)
    if (deviation) expect(heard, 'It is no deviation any more.').not.toEqual(recorded)
  })

  it('has only deviations of what is recorded', () => {
    const names = new Set(transcripts.map(({ name }) => name))
    expect(transcripts.length).toBeGreaterThan(15)
    expect(Object.keys(deviations).filter((name) => !names.has(name))).toEqual([])
  })
})
