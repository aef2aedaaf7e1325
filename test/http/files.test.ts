// Files over every transport: items, and forms that bring their bytes.
import { request as ask, createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHandler, toNode } from '../../src/http.ts'
import { createEngine, getFile, transformAsset } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { heldBytes } from '../../src/testing/storage/memory-cases.ts'
import { keysIn, placesIn, plain, storageWith } from '../files/gallery-fixture.ts'
import { inSeconds } from '../items/connections.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import { databases, sqlite } from '../support/databases.ts'
import { isLong } from '../support/long-runs.ts'
import { formOf, jsonBody, type OpenGallery, openFiles, sendAs } from './gallery.ts'
import { troubles } from './process.ts'
import { overHttp, transports, transportsTo, type Wire } from './transports.ts'

const text = (value: string) => new Blob([value], { type: 'text/plain' })
/** A part as no library writes it any more. */
const part = (name: string) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nx\r\n`
const faultOf = (json: unknown) => (json as { errors?: { extensions: object }[] }).errors?.[0]?.extensions
afterEach(() => expect(troubles()).toEqual([]))

const worlds = databases.flatMap((database) =>
  transportsTo(database).map((transport) => ({
    database,
    transport,
    title: `on ${database.name}, ${transport.title} (QUERNEL_SEED=${fuzzSeed})`,
  })),
)

describe.each(worlds)('$title', ({ database, transport }) => {
  let gallery: OpenGallery
  let wire: Wire
  beforeEach(async () => {
    gallery = await openFiles(database)
    wire = await transport.open(gallery.handler)
  })
  afterEach(async () => {
    expect(gallery.told).toEqual([])
  })
  const send = (line: string, more: Parameters<typeof sendAs>[3] = {}, token: string | undefined = 'admin') =>
    sendAs(wire, token, line, more)
  const bodyOf = async (id: string) => new Response((await transformAsset(gallery.engine, id)).body).text()

  it('a form uploads a file, with the fields before it', async () => {
    const { status, json } = await send(
      'POST /files?fields=id,title,type,tags,metadata,description,focal_point_x,filesize,filename_download,uploaded_by',
      await formOf(
        ['title', 'Süß'],
        ['tags', 'a, b'],
        ['metadata', '{"x":[1]}'],
        ['description', 'null'],
        ['focal_point_x', '7'],
        ['file', text('Hello'), '../ünder/grüße.txt'],
      ),
    )
    const { data } = json as { data: { id: string } }
    expect({ status, data }).toEqual({
      status: 200,
      data: {
        id: data.id,
        title: 'Süß',
        type: 'text/plain',
        tags: ['a', 'b'],
        metadata: { x: [1] },
        description: null,
        focal_point_x: 7,
        filesize: 5,
        filename_download: 'grüße.txt',
        uploaded_by: 'ada',
      },
    })
    expect(await bodyOf(data.id)).toBe('Hello')
  })

  it('a form uploads several files, each with its own fields', async () => {
    const { status, json } = await send(
      'POST /files?fields=title,filename_download',
      await formOf(
        ['title', 'One'],
        ['file', text('1'), 'one.txt'],
        ['file', text('2'), 'two.txt'],
        ['title', 'Three'],
        ['other', text('3'), 'three.txt'],
      ),
    )
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        data: [
          { title: 'One', filename_download: 'one.txt' },
          { title: 'Two', filename_download: 'two.txt' },
          { title: 'Three', filename_download: 'three.txt' },
        ],
      },
    })
    expect(await keysIn(gallery.storage)).toEqual(await placesIn(gallery.db))
  })

  it('JSON uploads a file, or a list of them, with fields as they are', async () => {
    const one = { filename: 'grüße.txt', base64: btoa('Hello'), tags: ['a', 'b'], metadata: { x: [1] } }
    const fields = '?fields=id,title,type,tags,metadata,filesize,filename_download'
    const { status, json } = await send(`POST /files${fields}`, jsonBody({ ...one, type: 'text/plain' }))
    const { data } = json as { data: { id: string } }
    expect({ status, data }).toEqual({
      status: 200,
      data: {
        id: data.id,
        title: 'Grüße',
        type: 'text/plain',
        tags: ['a', 'b'],
        metadata: { x: [1] },
        filesize: 5,
        filename_download: 'grüße.txt',
      },
    })
    expect(await bodyOf(data.id)).toBe('Hello')
    const several = [
      { filename: 'one.txt', base64: btoa('1') },
      { filename: 'empty', base64: '', title: 'None' },
    ]
    expect((await send('POST /files?fields=title,filesize', jsonBody(several))).json).toEqual({
      data: [
        { title: 'One', filesize: 1 },
        { title: 'None', filesize: 0 },
      ],
    })
    expect(await keysIn(gallery.storage)).toEqual(await placesIn(gallery.db))
  })

  it('one file of several that is refused takes the others with it', async () => {
    const { status, json } = await send(
      'POST /files',
      await formOf(['file', text('1'), 'one.txt'], ['titel', 'x'], ['file', text('2'), 'two.txt']),
    )
    expect([status, faultOf(json)]).toEqual([403, expect.objectContaining({ path: ['titel'] })])
    expect(await keysIn(gallery.storage)).toEqual([])
    expect(await placesIn(gallery.db)).toEqual([])
  })

  it.each([
    ['without a file', () => formOf(['title', 'x']), 400, 'INVALID_PAYLOAD'],
    ['with no file chosen', () => formOf(['file', new Blob([]), '']), 400, 'INVALID_PAYLOAD'],
    [
      'with bytes that have no name',
      async () => ({
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: new TextEncoder().encode(`${part('a')}${part('')}--b--`),
      }),
      400,
      'INVALID_PAYLOAD',
    ],
    [
      'with a field behind its file',
      () => formOf(['file', text('x'), 'a'], ['title', 'x']),
      400,
      'INVALID_PAYLOAD',
    ],
    [
      'with a field twice',
      () => formOf(['title', 'x'], ['title', 'y'], ['file', text('x'), 'a']),
      400,
      'INVALID_PAYLOAD',
    ],
    ['with a hostile field', () => formOf(['__proto__', 'x'], ['file', text('x'), 'a']), 403, 'FORBIDDEN'],
    ['with a place', () => formOf(['filename_disk', 'x'], ['file', text('x'), 'a']), 400, 'INVALID_PAYLOAD'],
    ['without bytes', async () => jsonBody({ filename: 'a', type: 'image/png' }), 400, 'INVALID_PAYLOAD'],
    ['without a name', async () => jsonBody({ base64: 'eA==' }), 400, 'INVALID_PAYLOAD'],
    ['with other letters', async () => jsonBody({ filename: 'a', base64: 'eA-=' }), 400, 'INVALID_PAYLOAD'],
    ['with too few letters', async () => jsonBody({ filename: 'a', base64: 'eA=' }), 400, 'INVALID_PAYLOAD'],
    ['of numbers', async () => jsonBody({ filename: 'a', base64: [1, 2] }), 400, 'INVALID_PAYLOAD'],
    ['of a text', async () => jsonBody(['eA==']), 400, 'INVALID_PAYLOAD'],
    ['of no file', async () => jsonBody([]), 400, 'INVALID_PAYLOAD'],
    [
      'of JSON with a wrong one behind a right one',
      async () => jsonBody([{ filename: 'a', base64: 'eA==' }, null]),
      400,
      'INVALID_PAYLOAD',
    ],
    [
      'of JSON with an unknown field',
      async () =>
        jsonBody([
          { filename: 'a', base64: 'eA==' },
          { filename: 'b', base64: '', titel: 'x' },
        ]),
      403,
      'FORBIDDEN',
    ],
    [
      'that is a text',
      async () => ({ headers: { 'content-type': 'text/plain' }, body: new Uint8Array([65]) }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['that says nothing', async () => ({}), 400, 'INVALID_PAYLOAD'],
    [
      'that is no form',
      async () => ({
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: new Uint8Array([1, 2]),
      }),
      400,
      'INVALID_PAYLOAD',
    ],
    [
      'that breaks off',
      async () => {
        const { headers, body } = await formOf(['file', text('x'.repeat(1_000)), 'a'])
        return { headers, body: body?.subarray(0, 700) }
      },
      400,
      'INVALID_PAYLOAD',
    ],
    [
      'without a boundary',
      async () => ({ headers: { 'content-type': 'multipart/form-data' }, body: new Uint8Array([1]) }),
      400,
      'INVALID_PAYLOAD',
    ],
  ])('an upload %s is refused and leaves nothing', async (_, body, status, code) => {
    const answer = await send('POST /files', await body())
    expect([answer.status, faultOf(answer.json)]).toEqual([status, expect.objectContaining({ code })])
    expect(await keysIn(gallery.storage)).toEqual([])
    expect(await placesIn(gallery.db)).toEqual([])
  })

  it('who may not upload is told so whatever the form is, and who may not read is told nothing else', async () => {
    const form = await formOf(['file', text('Hello'), 'a'])
    expect((await send('POST /files', form, 'nobody')).status).toBe(404)
    expect((await send('POST /files', form, 'reader')).status).toBe(403)
    expect(await send('POST /files', form, 'uploader')).toMatchObject({ status: 204, text: '' })
    expect((await send('POST /files', form, 'mallory')).status).toBe(401)
    const large = await formOf(['file', text('x'.repeat(100)), 'a'])
    expect((await send('POST /files', large, 'uploader')).status).toBe(400)
    const hidden = await formOf(['description', 'x'], ['file', text('x'), 'a'])
    expect((await send('POST /files', hidden, 'uploader')).status).toBe(403)
    expect(await keysIn(gallery.storage)).toHaveLength(1)
  })

  it('files are listed, searched and read like items', async () => {
    const one = await gallery.upload('1', { filename: 'b.txt' })
    await gallery.upload('2', { filename: 'a.txt', title: 'Secret' })
    const get = async (line: string, token?: string) => (await send(line, {}, token)).json
    expect(await get('GET /files?fields=title&sort=title&meta=total_count')).toEqual({
      data: [{ title: 'B' }, { title: 'Secret' }],
      meta: { total_count: 2 },
    })
    expect(await get('GET /files?fields=title&filter[title]=B')).toEqual({ data: [{ title: 'B' }] })
    expect(await get(`GET /files/${one}?fields=title`)).toEqual({ data: { title: 'B' } })
    expect(await get('GET /files?fields=title', 'reader')).toEqual({ data: [{ title: 'B' }] })
    expect(faultOf(await get('GET /files/nonsense'))).toMatchObject({ code: 'NOT_FOUND' })
    expect(faultOf(await get('GET /files', 'nobody'))).toMatchObject({ code: 'NOT_FOUND' })
    expect((await send('HEAD /files')).status).toBe(200)
    expect((await send('GET /files?export=csv&fields=title&sort=title')).text).toBe(
      'title\r\nB\r\nSecret\r\n',
    )
    const search = await send(
      'SEARCH /files',
      jsonBody({ query: { fields: ['title'], filter: { title: 'B' } } }),
    )
    expect(search.json).toEqual({ data: [{ title: 'B' }] })
  })

  it('what is known of files is changed with JSON', async () => {
    const one = await gallery.upload('1', { filename: 'a.txt' })
    const two = await gallery.upload('2', { filename: 'b.txt' })
    const { json } = await send(`PATCH /files/${one}?fields=title,modified_by`, jsonBody({ title: 'x' }))
    expect(json).toEqual({ data: { title: 'x', modified_by: 'ada' } })
    const all = await send('PATCH /files?fields=title', jsonBody({ keys: [one, two], data: { title: 'y' } }))
    expect(all.json).toEqual({ data: [{ title: 'y' }, { title: 'y' }] })
    const wrong = await send(`PATCH /files/${one}`, jsonBody({ filename_disk: 'x' }))
    expect([wrong.status, faultOf(wrong.json)]).toMatchObject([400, { code: 'INVALID_PAYLOAD' }])
    expect(await bodyOf(one)).toBe('1')
  })

  it('a form replaces the bytes of a file, which keeps its key', async () => {
    const id = await gallery.upload('Hello', { filename: 'a.txt' })
    await gallery.storage.write(`variants/${id}/x`, new Uint8Array([1]))
    const { status, json } = await send(
      `PATCH /files/${id}?fields=id,title,filesize,filename_download`,
      await formOf(['title', 'New'], ['file', text('Bye'), 'b.txt']),
    )
    expect({ status, json }).toEqual({
      status: 200,
      json: { data: { id, title: 'New', filesize: 3, filename_download: 'b.txt' } },
    })
    expect(await bodyOf(id)).toBe('Bye')
    expect(await keysIn(gallery.storage)).toEqual(await placesIn(gallery.db))
  })

  it.each([
    ['no file', () => formOf(['title', 'x'])],
    ['two files', () => formOf(['file', text('x'), 'x'], ['file', text('y'), 'y'])],
    ['a field behind the file', () => formOf(['file', text('x'), 'x'], ['title', 'y'])],
  ])('a form with %s replaces nothing', async (_, form) => {
    const id = await gallery.upload('Hello', { filename: 'a.txt' })
    const { status, json } = await send(`PATCH /files/${id}`, await form())
    expect([status, faultOf(json)]).toMatchObject([400, { code: 'INVALID_PAYLOAD' }])
    expect(await getFile(gallery.engine, id, { fields: ['title'] })).toEqual({ title: 'A' })
    expect(await bodyOf(id)).toBe('Hello')
    expect(await keysIn(gallery.storage)).toEqual(await placesIn(gallery.db))
  })

  it('files are deleted with their bytes', async () => {
    const [one, two, three] = [
      await gallery.upload('1', { filename: 'a' }),
      await gallery.upload('2', { filename: 'b' }),
      await gallery.upload('3', { filename: 'c' }),
    ]
    expect((await send(`DELETE /files/${one}`)).status).toBe(204)
    expect((await send(`DELETE /files/${one}`)).status).toBe(404)
    expect((await send('DELETE /files', jsonBody([two]))).status).toBe(204)
    expect((await send(`DELETE /files/${three}`, {}, 'reader')).status).toBe(403)
    expect(await keysIn(gallery.storage)).toHaveLength(1)
    expect(await bodyOf(three)).toBe('3')
  })

  it('a form replaces what is still as it was seen, and nothing else', async () => {
    const id = await gallery.upload('Hello', { filename: 'a.txt' })
    const path = `/files/${id}`
    const tagged = async (tag: string, bytes: string) => {
      const form = await formOf(['file', text(bytes), 'a.txt'])
      return send(`PATCH ${path}`, { ...form, headers: { ...form.headers, 'if-match': tag } })
    }
    const tag = String((await send(`GET ${path}`)).headers.etag)
    expect((await tagged(tag, 'Bye')).status).toBe(200)
    const late = await tagged(tag, 'Late')
    expect([late.status, faultOf(late.json)]).toMatchObject([412, { code: 'PRECONDITION_FAILED' }])
    expect(await bodyOf(id)).toBe('Bye')
    expect(await keysIn(gallery.storage)).toEqual(await placesIn(gallery.db))

    const now = String((await send(`GET ${path}`)).headers.etag)
    const statuses = (await Promise.all([tagged(now, 'one'), tagged(now, 'two')])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 412])
    expect(await keysIn(gallery.storage)).toEqual(await placesIn(gallery.db))
  })

  it('nothing chooses which file is deleted beside its id', async () => {
    const id = await gallery.upload('1', { filename: 'a' })
    for (const query of ['nope=1', 'filter[id]=x'])
      expect((await send(`DELETE /files/${id}?${query}`)).status).toBe(400)
    expect((await send(`DELETE /files/${id}`, jsonBody({ keys: [] }))).status).toBe(400)
    expect(await bodyOf(id)).toBe('1')
  })
})

describe('the size of an upload', () => {
  it('is limited for each file, and for all of a request', async () => {
    for (const transport of transports) {
      const gallery = await openFiles(
        sqlite,
        { uploadLimit: 5_000, bodyLimit: 10 },
        { files: { maxBytes: 2_000 } },
      )
      const wire = await transport.open(gallery.handler)
      const sizes = async (...bytes: readonly number[]) => {
        const files = bytes.map((length) => ['file', text('x'.repeat(length)), 'a'] as const)
        return (await sendAs(wire, 'admin', 'POST /files', await formOf(...files))).status
      }
      expect(await sizes(2_000, 2_000)).toBe(200)
      expect(await sizes(2_001)).toBe(413)
      expect(await sizes(2_000, 2_000, 2_000)).toBe(413)
      const form = await formOf(['file', text('x'.repeat(6_000)), 'a'])
      const chunked = { ...form, headers: { ...form.headers, 'transfer-encoding': 'chunked' } }
      if (transport.title !== 'as a Web request')
        expect((await sendAs(wire, 'admin', 'POST /files', chunked)).status).toBe(413)
      expect(await keysIn(gallery.storage)).toHaveLength(2)
      expect(await placesIn(gallery.db)).toHaveLength(2)
    }
  })

  it('that is claimed to be 2 GB is refused before a byte is read', async () => {
    const gallery = await openFiles(sqlite)
    const server = await overHttp(createServer(toNode(gallery.handler)))
    const socket = connect(server.port, '127.0.0.1')
    const head = [
      'POST /api/files HTTP/1.1',
      'Host: localhost',
      'Authorization: Bearer admin',
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 2147483648',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n--b\r\n`)
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })
})

describe('a large form that is refused', () => {
  it.each([
    ['of a file that is not there', 404, () => '11111111-1111-4111-8111-111111111112'],
    ['with a field that is none', 403, (id: string) => `${id}?fields=nothing`],
    ['of two files', 400, (id: string) => id],
  ])('%s lets the next request of its connection pass', async (_, expected, path) => {
    const gallery = await openFiles(sqlite)
    const server = await overHttp(createServer(toNode(gallery.handler)))
    const id = await gallery.upload('Hello', { filename: 'a.txt' })
    const large = ['file', text('x'.repeat(3_000_000)), 'a'] as const
    const sent = sendAs(server, 'admin', `PATCH /files/${path(id)}`, await formOf(large, large))
    expect((await inSeconds(20, sent)).status).toBe(expected)
    const next = sendAs(server, 'admin', `GET /files/${id}?fields=title`)
    expect((await inSeconds(20, next)).json).toEqual({ data: { title: 'A' } })
  })
})

describe('a client that goes away', () => {
  it('in the middle of a file leaves nothing', async () => {
    for (const database of databases) {
      const storage = memoryStorage()
      let isWriting = false
      const gallery = await openFiles(
        database,
        {},
        {
          storage: storageWith(storage, (call) => {
            isWriting ||= call === 'write'
          }),
        },
      )
      const server = await overHttp(createServer(toNode(gallery.handler)))
      const asking = ask({
        port: server.port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/api/files',
        headers: { authorization: 'Bearer admin', 'content-type': 'multipart/form-data; boundary=b' },
      })
      asking.once('error', () => {})
      asking.write('--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n')
      asking.write('x'.repeat(200_000))
      await inSeconds(
        20,
        until(async () => isWriting),
      )
      asking.destroy()
      await inSeconds(
        20,
        until(async () => (await server.connections()) === 0),
      )
      expect(await keysIn(storage)).toEqual([])
      expect(await placesIn(gallery.db)).toEqual([])
      expect(gallery.told).toEqual([])
    }
  })
})

const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await wait(20)
}

describe('a file that is far larger than memory allows', () => {
  it('passes through', async () => {
    const chunks = isLong ? 300 : 100
    let most = 0
    let size = 0
    let looked = 0
    const storage = memoryStorage()
    const counting = {
      ...storage,
      stat: async () => ({ size, lastModified: new Date() }),
      write: async (_key: string, body: unknown) => {
        const reader = (body as ReadableStream<Uint8Array>).getReader()
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return { size }
          size += value.length
          if (size - looked < 20_000_000) continue
          looked = size
          most = Math.max(most, heldBytes())
        }
      },
    }
    const gallery = await openFiles(sqlite, {}, { storage: counting as never })
    const server = await overHttp(createServer(toNode(gallery.handler)))
    const before = heldBytes()
    const asking = ask({
      port: server.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/files?fields=filesize',
      headers: { authorization: 'Bearer admin', 'content-type': 'multipart/form-data; boundary=b' },
    })
    const answered = new Promise<string>((resolve, reject) => {
      asking.once('error', reject)
      asking.once('response', (response) => {
        response.once('data', (data) => resolve(String(data)))
      })
    })
    asking.write('--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n')
    const chunk = Buffer.alloc(1_000_000, 7)
    for (let count = 0; count < chunks; count++)
      if (!asking.write(chunk)) await new Promise((resolve) => asking.once('drain', resolve))
    asking.end('\r\n--b--')
    expect(JSON.parse(await answered)).toEqual({ data: { filesize: chunks * 1_000_000 } })
    expect(looked).toBeGreaterThan(chunks * 666_666)
    expect(most - before).toBeLessThan(30_000_000)
  })
})

describe('without a storage', () => {
  it('there are no such paths', async () => {
    const { db, close } = await sqlite.open()
    const handler = createHandler(createEngine({ db, schema: plain }), {
      authenticate: () => ({ admin: true }),
    })
    for (const path of ['/files', '/files/x', '/assets/x', '/assets/x/y.png']) {
      const response = await handler(new Request(`http://localhost${path}`))
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toMatchObject({ errors: [{ message: 'There is no such path.' }] })
    }
    await close()
  })
})
