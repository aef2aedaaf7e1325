// A client of HTTP/2 leaves one stream of a connection and goes on with others.
import { type ClientHttp2Session, connect, constants, createServer, type Http2Server } from 'node:http2'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createHandler, toNode } from '../../../src/http.ts'
import { createEngine, defineSchema } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage.ts'
import { portOf } from '../../support/listening.ts'
import { troubles } from '../process.ts'
import { openSlowPool, type SlowPool, slowTables } from '../slow-tables.ts'

const schema = defineSchema(slowTables)

const ends = [
  { how: 'given up', code: constants.NGHTTP2_CANCEL },
  { how: 'closed as if nothing were wrong', code: constants.NGHTTP2_NO_ERROR },
  { how: 'broken', code: constants.NGHTTP2_INTERNAL_ERROR },
]

describe.each(ends)('a stream that is $how', ({ code }) => {
  let opened: SlowPool
  let server: Http2Server
  let client: ClientHttp2Session
  const storage = memoryStorage()
  const told: unknown[] = []
  beforeAll(async () => {
    opened = await openSlowPool()
    const { db } = opened
    const engine = createEngine({ db, schema, storage, acquireTimeoutMs: 200 })
    await engine.install()
    const handler = createHandler(engine, {
      authenticate: () => ({ admin: true }),
      onError: (error) => told.push(error),
    })
    server = createServer(toNode(handler))
    client = connect(`http://127.0.0.1:${await portOf(server)}`)
  })
  afterAll(async () => {
    // Closing it would wait for streams that the client has left, sometimes for ever.
    client.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  afterEach(async () => {
    expect(await answerOf('/items/many?limit=1&fields=id')).toBe('{"data":[{"id":1}]}')
    expect([told, troubles()]).toEqual([[], []])
  })

  const asking = (path: string, method: string, type = 'application/json') => {
    const headers = { ':path': path, ':method': method, 'content-type': type }
    const stream = client.request(headers, { endStream: method !== 'POST' })
    return stream.on('error', () => {})
  }
  const answerOf = (path: string) => text(asking(path, 'GET'))

  it.each(['GET', 'HEAD'])('takes the statement of its %s along', async (method) => {
    const stream = asking('/items/slow', method)
    await opened.untilBusy()
    stream.close(code)
    await opened.untilIdle()
  })

  it('gives the connection of its file back', async () => {
    const stream = asking('/items/many?export=csv&limit=-1', 'GET')
    await new Promise((resolve) => stream.once('data', resolve))
    stream.close(code)
    await opened.untilIdle()
  })

  it('leaves nothing of a file that was not sent to its end', async () => {
    const stream = asking('/files', 'POST', 'multipart/form-data; boundary=cut')
    stream.write('--cut\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n')
    for (let sent = 0; sent < 20; sent++) stream.write(Buffer.alloc(65_536, sent))
    await wait(100)
    stream.close(code)
    await opened.untilIdle()
    for await (const { key } of storage.list('')) expect.fail(key)
    expect(await answerOf('/files')).toBe('{"data":[]}')
  })
})
