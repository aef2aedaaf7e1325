// Files of the service: those that it has stored, and those that are uploaded here.
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import {
  createEngine,
  deleteFile,
  type Engine,
  getFile,
  transformAsset,
  updateFile,
  uploadFile,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { type CmsWorld, openCms } from './cms-server.ts'
import { cmsDatabases } from './databases.ts'

const id = '11111111-1111-4111-8111-111111111111'
const bytes = (text: string) => new TextEncoder().encode(text)

describe.each(cmsDatabases)('on $name', (database) => {
  let world: CmsWorld
  const storage = memoryStorage()
  let engine: Engine
  beforeAll(async () => {
    world = await openCms(database, async (db) => {
      const row = {
        id,
        storage: 'local',
        filename_disk: `${id}.txt`,
        filename_download: 'old.txt',
        type: 'text/plain',
      }
      await db.insertInto('directus_files').values(row).execute()
    })
    await storage.write(`${id}.txt`, bytes('as it was'))
    // The schema is known at run time only.
    const { db, schema } = world
    engine = createEngine({ db, schema, storage, ...schema.options }) as unknown as Engine
  })

  it('a file that the service has stored is answered by its key', async () => {
    const { body, type } = await transformAsset(engine, id)
    expect([await new Response(body as never).text(), type]).toEqual(['as it was', 'text/plain'])
    const handler = createHandler(engine, { authenticate: world.access.authenticate as never })
    const headers = { authorization: 'Bearer admin-token' }
    const response = await handler(new Request(`http://localhost/assets/${id}`, { headers }))
    expect([response.status, await response.text()]).toEqual([200, 'as it was'])
  })

  it('a file that is uploaded is a row as the service has them', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const made = await uploadFile(engine, png, { filename: 'dot.png', title: 'Dot' })
    const { id: key } = Object(made)
    const row = await world.db
      .selectFrom('directus_files')
      .selectAll()
      .where('id', '=', key)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      storage: 'local',
      filename_download: 'dot.png',
      title: 'Dot',
      type: 'image/png',
      width: 1,
      height: 1,
    })
    expect(Number(row.filesize)).toBe(png.byteLength)
    expect(await storage.stat(String(row.filename_disk))).toMatchObject({ size: png.byteLength })
    expect(await updateFile(engine, key, { title: 'Point' })).toMatchObject({ title: 'Point' })
    await deleteFile(engine, key)
    expect(await storage.stat(String(row.filename_disk))).toBeUndefined()
    await expect(getFile(engine, key)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('nobody writes where the bytes of a file are', async () => {
    const written = updateFile(engine, id, { filename_disk: 'other.txt' })
    await expect(written).rejects.toMatchObject({ status: 400 })
  })
})
