// Files over node:http by hand, with the same promises as Quernel's: the row says who may see a file and under which name, nothing outside of
// the folder is read, tags and ranges are honoured, and an upload is whole and safe from a loss of power before it is answered.
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, realpath, rename } from 'node:fs/promises'
import type { IncomingMessage, RequestListener } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type Database from 'better-sqlite3'

interface Row {
  readonly id: string
  readonly filename_disk: string
  readonly filename_download: string
  readonly type: string
}

/** Answers with the file of the path's id, or of a fixed key below the root. */
export function readingByHand(database: Database.Database, root: string, key?: string): RequestListener {
  const find = database.prepare<string[], Row>('select * from files where id = ?')
  return async (request, response) => {
    const [, id = ''] = /^\/assets\/([\w-]+)/.exec(request.url ?? '') ?? []
    const row = find.get(id)
    if (!row) return void response.writeHead(404).end()
    const path = join(root, key ?? row.filename_disk)
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    const [{ size, mtime }, real] = await Promise.all([handle.stat(), realpath(path)])
    if (real !== path) throw new Error('There is a link in the way.')
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const [start, end] = first === undefined ? [0, size - 1] : [Number(first), Number(last)]
    response.writeHead(first === undefined ? 200 : 206, {
      'content-type': key ? 'image/webp' : row.type,
      'content-length': end - start + 1,
      'content-disposition': `inline; filename="${row.filename_download}"`,
      'last-modified': mtime.toUTCString(),
      'cache-control': 'private, no-cache',
      etag: `"${size.toString(36)}-${mtime.getTime().toString(36)}"`,
      ...(first !== undefined && { 'content-range': `bytes ${start}-${end}/${size}` }),
    })
    if (end - start >= 65_536)
      return void (await pipeline(handle.createReadStream({ start, end }), response).catch(() => undefined))
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(end - start + 1),
      0,
      end - start + 1,
      start,
    )
    await handle.close()
    response.end(buffer.subarray(0, bytesRead))
  }
}

/** Stores the file of a form, and answers with its row. */
export function receivingByHand(database: Database.Database, root: string): RequestListener {
  const insert = database.prepare(
    'insert into files (id, filename_disk, filename_download, title, type, created_on, filesize, checksum) values (?, ?, ?, ?, ?, ?, ?, ?) returning *',
  )
  return async (request, response) => {
    const { bytes, filename, type } = fileIn(await bodyOf(request), request.headers['content-type'] ?? '')
    const [id, draft] = [randomUUID(), join(root, `.${randomUUID()}`)]
    const folder = join(root, 'files', id)
    const checksum = createHash('sha256').update(bytes).digest('hex')
    const handle = await open(draft, 'wx')
    await handle.writeFile(bytes)
    await handle.sync()
    await handle.close()
    await mkdir(folder, { recursive: true })
    await rename(draft, join(folder, filename))
    for (const one of [folder, join(root, 'files')]) {
      const opened = await open(one, 'r')
      await opened.sync()
      await opened.close()
    }
    const key = `files/${id}/${filename}`
    const row = insert.get(
      id,
      key,
      filename,
      filename,
      type,
      new Date().toISOString(),
      bytes.length,
      checksum,
    )
    const text = JSON.stringify({ data: row })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The only part of a form. */
function fileIn(body: Buffer, contentType: string) {
  const [, boundary = ''] = /boundary=(.+)$/.exec(contentType) ?? []
  const start = body.indexOf('\r\n\r\n')
  const head = body.toString('latin1', 0, start)
  const [, filename = ''] = /filename="([^"]*)"/.exec(head) ?? []
  const [, type = ''] = /content-type: *(\S+)/i.exec(head) ?? []
  return { bytes: body.subarray(start + 4, body.lastIndexOf(`\r\n--${boundary}`)), filename, type }
}
