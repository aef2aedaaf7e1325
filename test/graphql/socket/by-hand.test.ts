// GraphQL over sockets that take nothing for a while, end at once or send what no client would.
import { describe, expect, it, vi } from 'vitest'
import { type Access, createItems, EngineError, updateItem } from '../../../src/index.ts'
import { calm, openByHand, subscribe, until } from './by-hand.ts'
import { subscribed } from './sockets.ts'

const prices = 'subscription { tasks_mutated { key data { price } } }'
const titles = 'subscription { tasks_mutated { key data { title } } }'

function changingRights() {
  const rights = { fields: ['id', 'title', 'price'] }
  const authenticate = (): Access => ({ user: 1, rules: { tasks: { read: { fields: rights.fields } } } })
  return { rights, authenticate }
}

const missed = (id: string) =>
  `{"id":"${id}","type":"error","payload":[{"message":"Events may have been missed.","extensions":{"code":"SERVICE_UNAVAILABLE","hint":"Subscribe again, and read anew what you hold."}}]}`

const outlived = (id: string) =>
  `{"id":"${id}","type":"error","payload":[{"message":"This caller may see something else than when this was answered.","extensions":{"code":"SERVICE_UNAVAILABLE","hint":"Ask again."}}]}`

describe('rights that are taken away', () => {
  it('while a reader takes nothing show no more of the events that wait', async () => {
    const { rights, authenticate } = changingRights()
    const { engine, feed, connection, send, drain } = await openByHand({ authenticate })
    send(subscribe('1', prices))
    await subscribed(feed, 1)
    connection.isBlocked = true
    const items = Array.from({ length: 20 }, (_, at) => ({ id: 10 + at, price: 888 }))
    await createItems(engine, 'tasks', items)
    await calm()
    rights.fields = ['id', 'title']
    await feed.recheck()
    drain()
    await until(() => connection.frames.length === 1)
    await calm()
    expect(connection.frames).toEqual([missed('1')])
  })

  it('while answers wait for a reader show nothing of them, and while a query waits for others are its rights', async () => {
    const { rights, authenticate } = changingRights()
    const { engine, connection, send, drain } = await openByHand({ authenticate })
    let reads = 0
    engine.on('items.read', 'tasks', () => void reads++, { when: 'after' })
    connection.isBlocked = true
    for (const id of ['1', '2', '3', '4']) send(subscribe(id, '{ tasks { price } }'))
    await until(() => reads === 3)
    await calm()
    rights.fields = ['id', 'title']
    drain()
    await until(() => connection.frames.length === 4)
    expect(connection.frames.toSorted()).toEqual([
      ...['1', '2', '3'].map(outlived),
      '{"id":"4","type":"error","payload":[{"message":"Cannot query field \\"price\\" on type \\"tasks\\".","locations":[{"line":1,"column":11}],"extensions":{"code":"INVALID_QUERY"}}]}',
    ])
  })

  it.each([
    [
      'from what a subscription asks for end it as its document says',
      prices,
      '{"id":"1","type":"error","payload":[{"message":"Cannot query field \\"price\\" on type \\"tasks\\".","locations":[{"line":1,"column":43}],"extensions":{"code":"INVALID_QUERY"}}]}',
    ],
    ['from what it does not ask for name no field', titles, missed('1')],
  ])('%s', async (_name, query, told) => {
    const { rights, authenticate } = changingRights()
    const { feed, connection, send } = await openByHand({ authenticate })
    send(subscribe('1', query))
    await subscribed(feed, 1)
    rights.fields = ['id', 'title']
    await feed.recheck()
    await until(() => connection.frames.length === 1)
    expect(connection.frames).toEqual([told])
  })

  it('and given again say that events of other fields were missed', async () => {
    const { rights, authenticate } = changingRights()
    rights.fields = ['id', 'title']
    const { engine, feed, connection, send } = await openByHand({ authenticate })
    send(subscribe('1', titles))
    await subscribed(feed, 1)
    rights.fields = ['id', 'title', 'price']
    await feed.recheck()
    await updateItem(engine, 'tasks', 1, { price: 5 })
    await updateItem(engine, 'tasks', 1, { title: 'new' })
    await until(() => connection.frames.length === 1)
    expect(connection.frames).toEqual([missed('1')])
  })
})

it('a token that is over closes the socket and says so, before and after it was one', async () => {
  let isOver = false
  const authenticate = (): Access => {
    if (isOver) throw new EngineError('TOKEN_EXPIRED', 'Over.')
    return { admin: true }
  }
  const { feed, connection, send, handler, errors } = await openByHand({ authenticate })
  send(subscribe('1', titles))
  await subscribed(feed, 1)
  isOver = true
  await feed.recheck()
  await until(() => connection.closes.length === 1)
  const other: unknown[] = []
  const socket = handler.open({
    request: new Request('http://x/', { headers: { 'sec-websocket-protocol': 'graphql-transport-ws' } }),
    send: () => undefined,
    close: (...closing) => void other.push(closing),
    buffered: () => 0,
  })
  socket.message('{"type":"connection_init","payload":{"access_token":"x"}}')
  await until(() => other.length === 1)
  expect([...connection.closes, ...other]).toEqual([
    [4403, 'The token has expired.'],
    [4403, 'Forbidden'],
  ])
  expect(errors).toEqual([])
})

it('operations that wait for others are kept as text', async () => {
  const { connection, send, drain } = await openByHand()
  connection.isBlocked = true
  const query = `{ tasks { id } } #${'x'.repeat(10_000)}`
  for (const id of ['1', '2', '3']) send(subscribe(id, query))
  await calm()
  const parse = vi.spyOn(JSON, 'parse')
  send(subscribe('4', query))
  await calm()
  // It was looked at once, and is read when its turn comes.
  expect(parse).toHaveBeenCalledTimes(1)
  drain()
  await until(() => connection.frames.length === 8)
  expect(parse.mock.calls.filter(([text]) => text.includes('"4"'))).toHaveLength(2)
  parse.mockRestore()
})

describe('an end', () => {
  it('takes back answers that wait, so that none stands under an id that is given again', async () => {
    const { connection, send, drain } = await openByHand()
    connection.isBlocked = true
    send(subscribe('1', '{ former: tasks { id } }'))
    await calm()
    send({ id: '1', type: 'complete' })
    send(subscribe('1', '{ later: tasks { id } }'))
    await calm()
    drain()
    await until(() => connection.frames.length === 2)
    expect(connection.frames).toEqual([
      '{"id":"1","type":"next","payload":{"data":{"later":[{"id":"1"}]}}}',
      '{"id":"1","type":"complete"}',
    ])
  })

  it('is heard however much was sent, and so is an id that is in use', async () => {
    const limits = { messages: 2, messagesPerSecond: 1 }
    const { engine, feed, connection, send } = await openByHand({ limits })
    send(subscribe('1', titles))
    await subscribed(feed, 1)
    send({ id: '1', type: 'complete' })
    await subscribed(feed, 0)
    await updateItem(engine, 'tasks', 1, { title: 'new' })
    await calm()
    expect(connection).toMatchObject({ frames: [], closes: [] })
    const other = await openByHand({ limits })
    other.send(subscribe('1', titles))
    other.send(subscribe('1', titles))
    expect(other.connection.closes).toEqual([[4409, 'Subscriber already exists']])
  })

  it('of a feed that has just asked who somebody is, is no error, and closes once', async () => {
    let isSlow = false
    const authenticate = async (): Promise<Access> => {
      if (isSlow) await calm()
      return { admin: true }
    }
    const { feed, errors, connection, send } = await openByHand({ authenticate })
    isSlow = true
    send(subscribe('1', '{ tasks { id } }'))
    await feed.stop()
    await calm()
    await calm()
    expect(errors).toEqual([])
    expect(connection.closes).toEqual([[1001, 'The service is shutting down.']])
  })
})

describe('what JSON has no text for', () => {
  it('in an error of the host is an error that nobody expects', async () => {
    const { errors, connection, send } = await openByHand({
      documents: () => {
        throw new EngineError('FORBIDDEN', 'no', { extensions: { count: 1n } })
      },
    })
    send({ id: '1', type: 'subscribe', payload: { documentId: 'x' } })
    await until(() => connection.frames.length === 1)
    expect(connection.frames).toEqual([
      '{"id":"1","type":"error","payload":[{"message":"An unexpected error occurred.","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}',
    ])
    expect(String(errors[0])).toMatch(/BigInt/)
  })

  it('in a ping that nests without end is an invalid message, or comes back where it can be written', async () => {
    const { connection, socket } = await openByHand({ limits: { messageBytes: 10_000_000 } })
    const payload = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
    socket.message(`{"type":"ping","payload":${payload}}`)
    // Newer versions of Node write what nests so deep.
    if (isWritten(payload)) expect(connection.frames[0] === `{"type":"pong","payload":${payload}}`).toBe(true)
    else expect(connection.frames).toHaveLength(0)
    expect(connection.closes).toEqual(isWritten(payload) ? [] : [[4400, 'Invalid message received']])
  })
})

/** True if the text of a value can be read, and the value be written again. */
function isWritten(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text
  } catch {
    return false
  }
}
