// Bodies that are packed, which a server may unpack before. The handler does not.
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import { openWorld, type World } from './openapi-collections.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const text = JSON.stringify({ name: 'Ada' })

describe('a body', () => {
  it.each([
    ['gzip', gzipSync(text), '/items/authors', 415],
    ['br', text, '/items/authors', 415],
    ['gzip, identity', gzipSync(text), '/items/authors', 415],
    ['identity', text, '/items/authors', 200],
    ['gzip', gzipSync(text), '/files', 415],
  ])('packed as %s', async (coding, body, path, status) => {
    const handler = createHandler(world.engine, { authenticate: () => ({ admin: true }) })
    const type = path === '/files' ? 'multipart/form-data; boundary=x' : 'application/json'
    const headers = { 'content-type': type, 'content-encoding': coding }
    const response = await handler(
      new Request(new URL(path, 'http://localhost'), { method: 'POST', headers, body }),
    )
    const answer: unknown = await response.json()
    expect(response.status).toBe(status)
    if (status === 415)
      expect(answer).toEqual({
        errors: [
          {
            message: `A body with the content encoding "${coding}" is not supported.`,
            extensions: {
              code: 'UNSUPPORTED_MEDIA_TYPE',
              hint: 'Send it uncompressed, without the header Content-Encoding.',
            },
          },
        ],
      })
  })
})
