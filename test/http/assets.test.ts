// The bytes of files over every transport: parts of them, and nothing where the client has them already.
import { request as ask, createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { toNode } from '../../src/http.ts'
import { updateFile } from '../../src/index.ts'
import { memoryStorage, type Storage } from '../../src/storage.ts'
import { storageWith } from '../files/gallery-fixture.ts'
import { inSeconds } from '../items/connections.ts'
import { databases, sqlite } from '../support/databases.ts'
import { type OpenGallery, openFiles, sendAs } from './gallery.ts'
import { troubles } from './process.ts'
import { overHttp, transports, type Wire } from './transports.ts'

afterEach(() => expect(troubles()).toEqual([]))

const unknown = '00000000-0000-4000-8000-000000000000'
const letters = 'abcdefghij'

describe.each(transports)('$title', (transport) => {
  let gallery: OpenGallery
  let wire: Wire
  let calls: (keyof Storage)[]
  let id: string
  let secret: string
  let etag: string
  let modified: string
  beforeAll(async () => {
    calls = []
    const storage = storageWith(memoryStorage(), (call) => void calls.push(call))
    gallery = await openFiles(sqlite, {}, { storage })
    wire = await transport.open(gallery.handler)
    id = await gallery.upload(letters, { filename: 'grüße.txt' })
    secret = await gallery.upload('x', { filename: 'a', title: 'Secret' })
    const { headers } = await get()
    etag = headers.etag ?? ''
    modified = headers['last-modified'] ?? ''
  })
  const get = (rest = '', headers = {}, method = 'GET', token: string | undefined = 'admin') =>
    sendAs(wire, token, `${method} /assets/${id}${rest}`, { headers })

  it('a file is answered with all that a browser has to know', async () => {
    const { status, headers, text } = await get()
    expect({ status, text }).toEqual({ status: 200, text: letters })
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': 'inline; filename="gr__e.txt"; filename*=UTF-8\'\'gr%C3%BC%C3%9Fe.txt',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
      'last-modified': expect.stringMatching(/ GMT$/),
    })
    expect(headers.vary ?? '').not.toMatch(/accept\b/i)
  })

  it.each([
    ['a suffix', '.png', 'inline; filename="gr__e.txt"; filename*=UTF-8\'\'gr%C3%BC%C3%9Fe.txt'],
    ['a name', '/other.txt', 'inline; filename="other.txt"'],
    ['a hostile name', '/a%22%0D%0Ab%2F..%2Fc.txt', 'inline; filename="a___b_.._c.txt"'],
    [
      'a wish to save it',
      '?download',
      'attachment; filename="gr__e.txt"; filename*=UTF-8\'\'gr%C3%BC%C3%9Fe.txt',
    ],
    ['both', '/other.txt?download=', 'attachment; filename="other.txt"'],
  ])('a path may have %s', async (_, rest, disposition) => {
    const { status, headers, text } = await get(rest)
    expect([status, text, headers['content-disposition']]).toEqual([200, letters, disposition])
  })

  it('HEAD answers the same without opening anything', async () => {
    calls.length = 0
    const { status, headers, text } = await get('', {}, 'HEAD')
    expect([status, text, headers['content-length'], headers.etag]).toEqual([200, '', '10', etag])
    await get('', { 'if-none-match': etag }, 'HEAD')
    expect(calls).toEqual(['stat', 'stat'])
  })

  it('OPTIONS tells the methods, and others are refused', async () => {
    expect((await get('', {}, 'OPTIONS')).headers.allow).toBe('GET, HEAD, OPTIONS')
    expect((await get('', {}, 'DELETE')).status).toBe(405)
  })

  const parts: readonly (readonly [range: string, text: string, shown: string])[] = [
    ['bytes=0-4', 'abcde', 'bytes 0-4/10'],
    ['bytes=0-0', 'a', 'bytes 0-0/10'],
    ['bytes=8-', 'ij', 'bytes 8-9/10'],
    ['bytes=-2', 'ij', 'bytes 8-9/10'],
    ['bytes=5-99', 'fghij', 'bytes 5-9/10'],
  ]
  it.each(parts)('the range %s is answered with a part', async (range, text, shown) => {
    const answer = await get('', { range })
    expect(answer).toMatchObject({
      status: 206,
      text,
      headers: { 'content-range': shown, 'content-length': `${text.length}`, etag },
    })
  })

  it.each(['bytes=10-', 'bytes=-0', 'bytes=99-100'])(
    'the range %s is refused, with the size',
    async (range) => {
      const { status, headers, json } = await get('', { range })
      expect([status, headers['content-range']]).toEqual([416, 'bytes */10'])
      expect(json).toMatchObject({ errors: [{ extensions: { code: 'RANGE_NOT_SATISFIABLE' } }] })
    },
  )

  it.each(['bytes=0-1,3-4', 'bytes=4-2', 'letters=0-1', 'nonsense'])(
    'the range %s is passed over',
    async (range) => {
      expect(await get('', { range })).toMatchObject({ status: 200, text: letters })
    },
  )

  it('HEAD has no ranges', async () => {
    expect(await get('', { range: 'bytes=0-4' }, 'HEAD')).toMatchObject({
      status: 200,
      headers: { 'content-length': '10' },
    })
  })

  const conditions: readonly (readonly [string, () => Record<string, string>, number])[] = [
    ['a tag that it has', () => ({ 'if-none-match': etag }), 304],
    ['a weak one', () => ({ 'if-none-match': `W/${etag}` }), 304],
    ['a list with it', () => ({ 'if-none-match': `"x", ${etag}` }), 304],
    ['any', () => ({ 'if-none-match': '*' }), 304],
    ['another tag', () => ({ 'if-none-match': '"x"' }), 200],
    ['the same moment', () => ({ 'if-modified-since': modified }), 304],
    ['a later moment', () => ({ 'if-modified-since': 'Fri, 31 Dec 2100 23:59:59 GMT' }), 304],
    ['an earlier moment', () => ({ 'if-modified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }), 200],
    [
      'a later moment in the old form',
      () => ({ 'if-modified-since': 'Friday, 31-Dec-49 23:59:59 GMT' }),
      304,
    ],
    ['a later moment in the form of C', () => ({ 'if-modified-since': 'Fri Dec  3 23:59:59 2100' }), 304],
    ['nonsense for a moment', () => ({ 'if-modified-since': 'yesterday' }), 200],
    ['a number for a moment', () => ({ 'if-modified-since': '99999' }), 200],
    ['a moment without a zone', () => ({ 'if-modified-since': 'Fri, 31 Dec 2100 23:59:59' }), 200],
    ['a tag that holds a star', () => ({ 'if-none-match': '"a,*,b"' }), 200],
    ['not after the same moment', () => ({ 'if-unmodified-since': modified }), 200],
    ['not after an earlier one', () => ({ 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }), 412],
    [
      'not after an earlier one, and a tag that has to be',
      () => ({ 'if-match': etag, 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }),
      200,
    ],
    ['not after nonsense', () => ({ 'if-unmodified-since': '1' }), 200],
    [
      'another tag and the same moment',
      () => ({ 'if-none-match': '"x"', 'if-modified-since': modified }),
      200,
    ],
    ['a tag that it has, and a range', () => ({ 'if-none-match': etag, range: 'bytes=0-1' }), 304],
    ['a range of what it has', () => ({ 'if-range': etag, range: 'bytes=0-1' }), 206],
    ['a range since then', () => ({ 'if-range': modified, range: 'bytes=0-1' }), 206],
    ['a range of what it had', () => ({ 'if-range': '"x"', range: 'bytes=0-1' }), 200],
    ['a range of what it weakly has', () => ({ 'if-range': `W/${etag}`, range: 'bytes=0-1' }), 200],
    ['an impossible range of what it had', () => ({ 'if-range': '"x"', range: 'bytes=99-' }), 200],
    ['a tag that has to be', () => ({ 'if-match': etag }), 200],
    ['another tag that has to be', () => ({ 'if-match': '"x"' }), 412],
  ]
  it.each(conditions)('asked with %s', async (_, headers, status) => {
    const answer = await get('', headers())
    expect(answer.status).toBe(status)
    if (status === 304)
      expect([answer.text, answer.headers.etag, answer.headers['cache-control']]).toEqual([
        '',
        etag,
        'private, no-cache',
      ])
  })

  it('whoever does not see a file is told what is told of none', async () => {
    const answers = [
      await sendAs(wire, 'reader', `GET /assets/${secret}`),
      await sendAs(wire, 'reader', `GET /assets/${unknown}`),
      await sendAs(wire, 'reader', 'GET /assets/nonsense'),
      await sendAs(wire, 'reader', `GET /assets/${secret}.png?download`),
      await sendAs(wire, 'reader', 'GET /assets/..%2F..%2Fetc%2Fpasswd'),
      await sendAs(wire, 'nobody', `GET /assets/${secret}`),
    ]
    for (const { status, headers, text } of answers)
      expect({ status, text, cache: headers['cache-control'] }).toEqual({
        status: 404,
        text: answers[1]?.text,
        cache: 'no-store',
      })
    expect((await sendAs(wire, 'reader', `GET /assets/${id}`)).status).toBe(200)
    expect((await sendAs(wire, undefined, `GET /assets/${id}`)).status).toBe(401)
  })

  it('a parameter that stands there twice is refused', async () => {
    const { status, json } = await get('?width=1&width=2')
    expect(status).toBe(400)
    expect(json).toMatchObject({ errors: [{ extensions: { code: 'INVALID_QUERY', path: ['width'] } }] })
  })

  it.each(['text/plain\r\nx-odd: 1', 'text/漢', 'text', ''])(
    'a type in a row that no header can hold, such as %j, is told as that of any bytes',
    async (type) => {
      const odd = await gallery.upload('x', { filename: 'a' })
      await gallery.db.updateTable('files').set({ type }).where('id', '=', odd).execute()
      const { status, headers, text } = await sendAs(wire, 'admin', `GET /assets/${odd}`)
      expect({ status, text }).toEqual({ status: 200, text: 'x' })
      expect(headers['content-type']).toBe('application/octet-stream')
      expect(headers['content-disposition']).toMatch(/^attachment/)
    },
  )

  const style = "style-src 'unsafe-inline'"
  const policies: readonly (readonly [string, string, string])[] = [
    // As tried in Chromium 156 and Firefox 153, which show it with a sandbox, too; Safari shows some as an empty page then.
    ['%PDF-1.7', 'application/pdf', `default-src 'none'; object-src 'self'; ${style}`],
    // Chromium plays nothing otherwise.
    ['ID3', 'audio/mpeg', `default-src 'none'; media-src 'self'; ${style}`],
    ['....ftypmp42', 'video/mp4', `default-src 'none'; media-src 'self'; ${style}`],
    ['GIF89a\x01\0\x01\0', 'image/gif', `default-src 'none'; img-src 'self'; ${style}; sandbox`],
    ['Tea', 'text/plain', "default-src 'none'; sandbox"],
    ['<p>', 'text/html', "default-src 'none'; sandbox"],
  ]
  it.each(policies)('a browser shows %j of type %s under its policy', async (text, type, policy) => {
    const other = await gallery.upload(text, { filename: 'x', type })
    const read = (rest: string) => sendAs(wire, 'admin', `GET /assets/${other}${rest}`)
    const [shown, offered] = [await read(''), await read('?download')]
    expect([shown.headers['content-type'], shown.headers['content-security-policy']]).toEqual([type, policy])
    expect(offered.headers['content-security-policy']).toBe("default-src 'none'; sandbox")
  })

  const kinds: readonly (readonly [string, string, 'inline' | 'attachment'])[] = [
    ['<script>alert(1)</script>', 'text/html', 'attachment'],
    ['<svg onload="alert(1)"/>', 'image/svg+xml', 'attachment'],
    ['<x/>', 'application/xml', 'attachment'],
    ['alert(1)', 'text/javascript', 'attachment'],
    ['alert(1)', 'application/xhtml+xml', 'attachment'],
    ['?', 'application/octet-stream', 'attachment'],
    ['GIF89a\x01\0\x01\0', 'image/gif', 'inline'],
    ['%PDF-1.7', 'application/pdf', 'inline'],
  ]
  it.each(kinds)('%j, which is %s, is shown as %s', async (body, type, how) => {
    const key = await gallery.upload(body, { filename: 'a', type })
    const { headers } = await sendAs(wire, 'admin', `GET /assets/${key}`)
    expect([headers['content-type'], headers['content-disposition']]).toEqual([type, `${how}; filename="a"`])
  })

  it('new bytes are known by another tag', async () => {
    const key = await gallery.upload('old', { filename: 'a.txt' })
    const before = await sendAs(wire, 'admin', `GET /assets/${key}`)
    await updateFile(gallery.engine, key, {}, new Blob(['new']))
    const after = await sendAs(wire, 'admin', `GET /assets/${key}`, {
      headers: { 'if-none-match': before.headers.etag ?? '' },
    })
    expect(after).toMatchObject({ status: 200, text: 'new' })
  })

  it('an empty file is answered, and has no parts', async () => {
    const key = await gallery.upload('', { filename: 'a.txt' })
    expect(await sendAs(wire, 'admin', `GET /assets/${key}`)).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '0' },
    })
    expect(
      (await sendAs(wire, 'admin', `GET /assets/${key}`, { headers: { range: 'bytes=0-' } })).status,
    ).toBe(416)
  })
})

describe('a handler', () => {
  it('says how long files may be kept', async () => {
    for (const database of databases) {
      const gallery = await openFiles(database, { cacheControl: 'public, max-age=60' })
      const id = await gallery.upload('x', { filename: 'a.txt' })
      const response = await gallery.handler(
        new Request(`http://localhost/api/assets/${id}`, { headers: { authorization: 'Bearer admin' } }),
      )
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=60'])
      await response.body?.cancel()
    }
  })

  it('tells nothing of where bytes are that are lost', async () => {
    const storage = memoryStorage()
    const gallery = await openFiles(
      sqlite,
      {},
      {
        storage: {
          ...storage,
          // Deleted between being looked at and being read.
          read: (key, range) => storage.delete(key).then(() => storage.read(key, range)),
        },
      },
    )
    for (const asked of ['', '?width=1']) {
      const id = await gallery.upload('x', { filename: 'a.txt' })
      const headers = { authorization: 'Bearer admin' }
      const response = await gallery.handler(
        new Request(`http://localhost/api/assets/${id}${asked}`, { headers }),
      )
      expect(response.status).toBe(404)
      expect(await response.text()).not.toMatch(/files\//)
    }
  })

  it('lets go of a file that was opened when the client had left', async () => {
    const storage = memoryStorage()
    let isOpening = false
    let isLetGo = false
    const gallery = await openFiles(
      sqlite,
      {},
      {
        storage: {
          ...storage,
          read: async () => {
            isOpening = true
            await until(async () => (await server.connections()) === 0)
            return new ReadableStream({
              cancel() {
                isLetGo = true
              },
            })
          },
        },
      },
    )
    const id = await gallery.upload('x', { filename: 'a.txt' })
    const server = await overHttp(createServer(toNode(gallery.handler)))
    const path = `/api/assets/${id}`
    const asking = ask({ port: server.port, path, headers: { authorization: 'Bearer admin' } })
    asking.once('error', () => {})
    asking.end()
    await inSeconds(
      20,
      until(async () => isOpening),
    )
    asking.destroy()
    await inSeconds(
      20,
      until(async () => isLetGo),
    )
  })

  it('reads no further than a slow client does, and lets go when it leaves', async () => {
    const storage = memoryStorage()
    let given = 0
    let isLetGo = false
    const endless = () =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            given += 65_536
            controller.enqueue(new Uint8Array(65_536))
          },
          cancel() {
            isLetGo = true
          },
        },
        { highWaterMark: 0 },
      )
    const gallery = await openFiles(
      sqlite,
      {},
      {
        storage: {
          ...storage,
          stat: async () => ({ size: 10_000_000_000, lastModified: new Date() }),
          read: async () => endless(),
        },
      },
    )
    const id = await gallery.upload('x', { filename: 'a.txt' })
    const server = await overHttp(createServer(toNode(gallery.handler)))
    const asking = ask({
      port: server.port,
      host: '127.0.0.1',
      path: `/api/assets/${id}`,
      headers: { authorization: 'Bearer admin' },
    })
    asking.once('error', () => {})
    asking.end()
    await new Promise<void>((resolve) =>
      asking.once('response', (response) => response.once('readable', () => resolve())),
    )
    let before = -1
    await inSeconds(
      20,
      until(async () => {
        const isStill = before === given
        before = given
        return isStill
      }),
    )
    expect(given).toBeLessThan(50_000_000)
    asking.destroy()
    await inSeconds(
      20,
      until(async () => isLetGo),
    )
    expect(gallery.told).toEqual([])
  })
})

const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await wait(100)
}
