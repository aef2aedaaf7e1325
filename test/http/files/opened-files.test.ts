// A file in a folder is opened once for each request: what is said of it and what is sent of it is one file, whatever takes its place.

import { rename, symlink, truncate, unlink, writeFile } from 'node:fs/promises'
import { request as ask, createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toNode } from '../../../src/http.ts'
import { fileStorage } from '../../../src/storage.ts'
import { inSeconds } from '../../items/connections.ts'
import { fsWith } from '../../storage/failing-fs.ts'
import { folders } from '../../storage/folder.ts'
import { sqlite } from '../../support/databases.ts'
import { type OpenGallery, openFiles } from '../gallery.ts'
import { troubles } from '../process.ts'
import { type Listening, overHttp } from '../transports.ts'

const folder = folders()
const letters = 'abcdefghij'

describe('a file in a folder', () => {
  let root: string
  let gallery: OpenGallery
  let server: Listening
  let id: string
  /** Calls to the file system, in their order. */
  const calls: string[] = []
  let before: (call: string) => void | Promise<void> = () => undefined

  beforeAll(async () => {
    root = await folder()
    const fs = fsWith(async (call) => {
      calls.push(call)
      await before(call)
    })
    gallery = await openFiles(sqlite, {}, { storage: fileStorage({ root, fs }) })
    server = await overHttp(createServer(toNode(gallery.handler)))
    id = await gallery.upload(letters, { filename: 'a.txt' })
  })
  beforeEach(() => {
    before = () => undefined
    calls.length = 0
    gallery.told.length = 0
  })
  afterEach(() => expect(troubles()).toEqual([]))

  /** The answer of a server, as far as it came. */
  const get = (
    headers: Readonly<Record<string, string>> = {},
    { of = id, method = 'GET' }: { readonly of?: string; readonly method?: string } = {},
  ) =>
    new Promise<{
      status: number
      headers: IncomingHttpHeaders
      length: number
      text: string
      isWhole: boolean
    }>((resolve, reject) => {
      const path = `/api/assets/${of}`
      const own = { authorization: 'Bearer admin', ...headers }
      const asking = ask({ port: server.port, host: '127.0.0.1', path, method, headers: own })
      asking.once('error', reject)
      asking.once('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.once('error', () => undefined)
        response.once('close', () => {
          const bytes = Buffer.concat(chunks)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            length: bytes.length,
            text: bytes.toString('latin1', 0, 100),
            isWhole: response.complete,
          })
        })
      })
      asking.end()
    })
  const counted = (call: string) => calls.filter((one) => one === call).length
  const untilClosed = async () => {
    while (counted('handle.close') < counted('open')) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  it('is opened, looked at, and read by one handle', async () => {
    // The first one finds out where the root is.
    await get()
    await inSeconds(5, untilClosed())
    calls.length = 0
    const { status, text, headers } = await get()
    expect([status, text, headers['content-length']]).toEqual([200, letters, '10'])
    await inSeconds(5, untilClosed())
    expect(calls.toSorted()).toEqual(['handle.close', 'handle.read', 'handle.stat', 'open', 'realpath'])
  })

  it.each([
    ['a range', { range: 'bytes=2-4' }, 206, 'cde', 1],
    ['several ranges, which are answered with all of it', { range: 'bytes=0-1,3-4' }, 200, letters, 1],
    ['a range of other bytes', { range: 'bytes=2-4', 'if-range': '"other"' }, 200, letters, 1],
    ['a range behind its end', { range: 'bytes=10-' }, 416, undefined, 0],
    ['a condition that does not hold', { 'if-match': '"other"' }, 412, undefined, 0],
    ['a condition of who has it', { 'if-none-match': '*' }, 304, '', 0],
  ] as const)('is closed after %s', async (_, headers, status, text, reads) => {
    const answer = await get(headers)
    expect(answer.status).toBe(status)
    if (text !== undefined) expect(answer.text).toBe(text)
    await inSeconds(5, untilClosed())
    expect([counted('open'), counted('handle.read')]).toEqual([1, reads])
    expect(gallery.told).toEqual([])
  })

  it('is closed after HEAD, unread', async () => {
    const { status, headers, text } = await get({}, { method: 'HEAD' })
    expect([status, headers['content-length'], text]).toEqual([200, '10', ''])
    await inSeconds(5, untilClosed())
    expect([counted('open'), counted('handle.read')]).toEqual([1, 0])
  })

  const placeOf = async (of: string) => {
    const row = await gallery.db
      .selectFrom('files')
      .select('filename_disk')
      .where('id', '=', of as never)
      .executeTakeFirstOrThrow()
    return join(root, String(row.filename_disk))
  }

  it('that shrinks before it is read breaks off, and the host is told', async () => {
    const own = await gallery.upload(letters, { filename: 'b.txt' })
    const place = await placeOf(own)
    before = async (call) => {
      if (call === 'handle.read') await truncate(place, 0)
    }
    const answer = await inSeconds(
      10,
      get({}, { of: own }).catch(() => undefined),
    )
    expect(answer?.isWhole).not.toBe(true)
    await inSeconds(5, untilClosed())
    expect(gallery.told).toMatchObject([
      { code: 'INTERNAL_SERVER_ERROR', message: 'A file ended before its end.' },
    ])
  })

  it('that shrinks while it is sent ends the connection, and the host is told', async () => {
    const own = await gallery.upload(new Uint8Array(5_000_000), { filename: 'c.bin' })
    const place = await placeOf(own)
    before = async (call) => {
      if (counted('handle.read') === 2 && call === 'handle.read') await truncate(place, 100_000)
    }
    const { status, length, isWhole } = await inSeconds(10, get({}, { of: own }))
    expect([status, isWhole]).toEqual([200, false])
    expect(length).toBeLessThan(5_000_000)
    await inSeconds(5, untilClosed())
    expect(gallery.told).toMatchObject([
      { code: 'INTERNAL_SERVER_ERROR', message: 'A file ended before its end.' },
    ])
  })

  it('whose place a link has taken is not followed', async () => {
    const own = await gallery.upload(letters, { filename: 'd.txt' })
    const place = await placeOf(own)
    await writeFile(join(root, 'secret'), 'secret')
    await unlink(place)
    await symlink(join(root, 'secret'), place)
    const { status, text } = await get({}, { of: own })
    expect(status).toBe(403)
    expect(text).not.toMatch(/secret/)
  })

  it('whose place another file takes while it is sent is sent as it was', async () => {
    const own = await gallery.upload(letters, { filename: 'e.txt' })
    const place = await placeOf(own)
    await writeFile(join(root, 'other'), 'ABCDEFGHIJKLM')
    before = async (call) => {
      if (call !== 'handle.read') return
      before = () => undefined
      await rename(join(root, 'other'), place)
    }
    const { status, headers, text } = await get({}, { of: own })
    expect([status, headers['content-length'], text]).toEqual([200, '10', letters])
    const next = await get({}, { of: own })
    expect([next.text, next.headers.etag === headers.etag]).toEqual(['ABCDEFGHIJKLM', false])
  })
})
