// Pictures over HTTP: what was asked for in an address, and what clients may keep of it.
import sharp from 'sharp'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { quarters } from '../../images/sample-images.ts'
import { sqlite } from '../../support/databases.ts'
import { type OpenGallery, openFiles } from '../gallery.ts'
import { troubles } from '../process.ts'

afterEach(() => expect(troubles()).toEqual([]))

describe('a picture', () => {
  let gallery: OpenGallery
  let id: string
  beforeAll(async () => {
    const presets = [{ key: 'small', width: 50, format: 'webp' as const }]
    gallery = await openFiles(sqlite, {}, { assets: { presets } })
    id = await gallery.upload(await quarters(400, 200).jpeg().toBuffer(), { filename: 'four.jpg' })
  })

  async function get(
    query: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
    method = 'GET',
  ) {
    const url = `http://localhost/api/assets/${id}?${new URLSearchParams(query)}`
    return await gallery.handler(
      new Request(url, { method, headers: { authorization: 'Bearer admin', ...headers } }),
    )
  }

  it('is answered in the size and the format of the address', async () => {
    const transforms = JSON.stringify([
      ['rotate', '90'],
      ['negate', { lower: '10', upper: '200' }],
      ['tint', 'rgb(255, 0, 0)'],
    ])
    const response = await get({ width: '100', format: 'png', transforms, withoutEnlargement: 'true' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 100, height: 200 })
  })

  it('of a preset is the same as that of its parameters', async () => {
    const [one, other] = [await get({ key: 'small' }), await get({ width: '50', format: 'webp' })]
    expect(one.headers.get('etag')).toBe(other.headers.get('etag'))
    expect(Buffer.from(await one.arrayBuffer())).toEqual(Buffer.from(await other.arrayBuffer()))
  })

  it.each([
    [{ width: '40', format: 'webp' }, '', 'inline; filename="four.webp"'],
    [{ key: 'small', download: '' }, '', 'attachment; filename="four.webp"'],
    [{ width: '40' }, '', 'inline; filename="four.jpg"'],
    [{ width: '40', format: 'auto' }, '', 'inline; filename="four.avif"'],
    [{ transforms: '[["png"]]' }, '', 'inline; filename="four.png"'],
    [{}, '', 'inline; filename="four.jpg"'],
    // Whoever says a name gets that name.
    [{ width: '40', format: 'webp' }, '/mine.jpg', 'inline; filename="mine.jpg"'],
  ])('asked for as %o%s is called by its own format', async (query, name, disposition) => {
    const url = `http://localhost/api/assets/${id}${name}?${new URLSearchParams(query as Record<string, string>)}`
    const headers = { authorization: 'Bearer admin', accept: 'image/avif' }
    const response = await gallery.handler(new Request(url, { headers }))
    expect([response.status, response.headers.get('content-disposition')]).toEqual([200, disposition])
    await response.body?.cancel()
  })

  it('that the client has already is not sent again, and can be had in parts', async () => {
    const whole = await get({ width: '60' })
    const bytes = Buffer.from(await whole.arrayBuffer())
    const etag = whole.headers.get('etag') ?? ''
    expect((await get({ width: '60' }, { 'if-none-match': etag })).status).toBe(304)
    expect((await get({ width: '61' }, { 'if-none-match': etag })).status).toBe(200)
    const part = await get({ width: '60' }, { range: 'bytes=10-19' })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20))
    const head = await get({ width: '60' }, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes.length),
      '',
    ])
  })

  it('of format=auto depends on what the client accepts, and says so', async () => {
    const webp = await get({ format: 'auto', width: '30' }, { accept: 'image/webp,*/*' })
    const jpg = await get({ format: 'auto', width: '30' }, { accept: '*/*' })
    expect([webp.headers.get('content-type'), jpg.headers.get('content-type')]).toEqual([
      'image/webp',
      'image/jpeg',
    ])
    for (const response of [webp, jpg])
      expect(response.headers.get('vary')?.toLowerCase()).toContain('accept')
    await Promise.all([webp.body?.cancel(), jpg.body?.cancel()])
  })

  it.each([
    [{ width: 'x' }, 400, 'INVALID_QUERY', ['width']],
    [{ widht: '5' }, 400, 'INVALID_QUERY', ['widht']],
    [{ key: 'smal' }, 400, 'INVALID_QUERY', ['key']],
    [{ transforms: '[["toFile","x"]]' }, 400, 'INVALID_QUERY', ['transforms', 0, 0]],
    [{ width: '6001' }, 400, 'ILLEGAL_ASSET_TRANSFORMATION', ['width']],
    [{ transforms: '[["extract",0,0,500,5]]' }, 400, 'ILLEGAL_ASSET_TRANSFORMATION', ['transforms', 0]],
  ])('asked for as %o is %d %s', async (query, status, code, path) => {
    const response = await get(query as Record<string, string>)
    const { errors } = (await response.json()) as { errors: { extensions: object }[] }
    expect([response.status, errors[0]?.extensions]).toMatchObject([status, { code, path }])
  })
})
