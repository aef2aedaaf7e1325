// Files through the official client of the reference service, against the Express example.
import { createServer } from 'node:http'
import {
  createDirectus,
  deleteFile,
  deleteFiles,
  readAssetArrayBuffer,
  readAssetBlob,
  readAssetRaw,
  readFile,
  readFiles,
  readItems,
  rest,
  staticToken,
  updateFile,
  updateFiles,
  uploadFiles,
} from '@directus/sdk'
import express from 'express'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMagazineApi } from '../../../examples/magazine/magazine.ts'
import { toNode } from '../../../src/http.ts'
import { openPostgresUrl } from '../../examples/postgres-url.ts'
import { troubles } from '../process.ts'
import { overHttp } from '../transports.ts'

interface Magazine {
  articles: { id: number; title: string; image: string | null }[]
}

const client = (port: number) =>
  createDirectus<Magazine>(`http://127.0.0.1:${port}/api`).with(staticToken('admin')).with(rest())

/** Fields before the file, as the service wants it. Answers that are text the client takes for no file. */
function form(fields: Readonly<Record<string, string>>, ...texts: readonly string[]): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.append(name, value)
  for (const text of texts)
    made.append('file', new Blob([text], { type: 'application/x-greeting' }), `${text}.bin`)
  return made
}

describe.each([
  { name: 'sqlite', openUrl: async () => ({ url: undefined, close: async () => {} }) },
  { name: 'postgres', openUrl: openPostgresUrl },
])('on $name', ({ openUrl }) => {
  let service: ReturnType<typeof client>
  let close: () => Promise<void>
  beforeAll(async () => {
    const opened = await openUrl()
    const magazine = await openMagazineApi(opened.url)
    const server = await overHttp(createServer(express().use('/api', toNode(magazine.handler))))
    service = client(server.port)
    close = async () => {
      await server.close()
      await magazine.close()
      await opened.close()
    }
  })
  afterAll(async () => {
    await close()
    expect(troubles()).toEqual([])
  })

  it('uploads, reads, changes and deletes a file', async () => {
    const made = await service.request(
      uploadFiles(form({ title: 'Hi', folder: 'null' }, 'hello'), { fields: ['id', 'title', 'type'] }),
    )
    expect(made).toEqual({ id: made.id, title: 'Hi', type: 'application/x-greeting' })
    expect(await service.request(readFile(made.id, { fields: ['filesize', 'filename_download'] }))).toEqual({
      filesize: 5,
      filename_download: 'hello.bin',
    })
    const changed = await service.request(updateFile(made.id, { title: 'Bye' }, { fields: ['title'] }))
    expect(changed).toEqual({ title: 'Bye' })
    const replaced = await service.request(
      updateFile(made.id, form({}, 'goodbye'), { fields: ['title', 'filesize'] }),
    )
    expect(replaced).toEqual({ title: 'Bye', filesize: 7 })
    expect(await (await service.request(readAssetBlob(made.id))).text()).toBe('goodbye')
    await service.request(deleteFile(made.id))
    await expect(service.request(readFile(made.id))).rejects.toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    })
  })

  it('works on several files at once', async () => {
    const made = await service.request(uploadFiles(form({}, 'one', 'two'), { fields: ['id'] }))
    const ids = (made as unknown as { id: string }[]).map(({ id }) => id)
    expect(ids).toHaveLength(2)
    expect(
      await service.request(updateFiles(ids, { description: 'x' }, { fields: ['description'] })),
    ).toEqual([{ description: 'x' }, { description: 'x' }])
    const filter = { description: { _eq: 'x' } } as const
    const found = await service.request(readFiles({ fields: ['title'], filter, sort: ['title'] }))
    expect(found).toEqual([{ title: 'One' }, { title: 'Two' }])
    await service.request(deleteFiles(ids))
    expect(await service.request(readFiles({ fields: ['id'], filter }))).toEqual([])
  })

  it('reads the pictures of articles', async () => {
    const [article] = await service.request(
      readItems('articles', { fields: ['image'], filter: { image: { _nnull: true } }, limit: 1 }),
    )
    const id = article?.image ?? ''
    expect(await service.request(readFile(id, { fields: ['type', 'width', 'height'] }))).toEqual({
      type: 'image/png',
      width: 1200,
      height: 800,
    })
    const blob = await service.request(readAssetBlob(id))
    expect([blob.type, (await blob.text()).slice(1, 4)]).toEqual(['image/png', 'PNG'])
    expect((await service.request(readAssetArrayBuffer(id))).byteLength).toBe(blob.size)
    const raw = await service.request(readAssetRaw(id))
    expect((await new Response(raw).arrayBuffer()).byteLength).toBe(blob.size)
  })

  it('asks for pictures of another size and format, and for operations', async () => {
    const [article] = await service.request(
      readItems('articles', { fields: ['image'], filter: { image: { _nnull: true } }, limit: 1 }),
    )
    const id = article?.image ?? ''
    const looks = [
      [{ width: 100, height: 50, fit: 'inside' }, 'png', 75, 50],
      [{ width: 60, quality: 40, format: 'webp', withoutEnlargement: true }, 'webp', 60, 40],
      [
        {
          width: 30,
          format: 'jpg',
          transforms: [
            ['blur', 5],
            ['tint', 'rgb(255, 0, 0)'],
            ['rotate', 90],
          ],
        },
        'jpeg',
        30,
        45,
      ],
      [{ transforms: [['extract', { left: 5, top: 5, width: 20, height: 10 }]] }, 'png', 20, 10],
    ] as const
    for (const [look, format, width, height] of looks) {
      // What the client knows of assets is less than what the service does.
      const picture = await service.request(readAssetArrayBuffer(id, look as never))
      expect(await sharp(picture).metadata()).toMatchObject({ format, width, height })
    }
    const refused = service.request(readAssetBlob(id, { width: 0 }))
    await expect(refused).rejects.toMatchObject({ response: { status: 400 } })
  })
})
