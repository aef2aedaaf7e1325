// Of versions that a caller does not see, and of those that there are not, the same is told.
import { expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { databases } from '../../support/databases.ts'
import { requestOf } from '../../support/request-of.ts'
import { openWorld, version } from '../magazine.ts'

it.each(databases)(
  'on $name the id of a version told which hidden collection it belongs to',
  async (database) => {
    const { engine } = await openWorld(database)
    const rights = { read: true, create: true, update: true, delete: true }
    const handler = createHandler(engine, {
      authenticate: () => ({ rules: { authors: { read: true }, versions: rights } }),
    })
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await handler(requestOf(method, `/versions/${path}`, body))
      return { status: answer.status, body: await answer.text() }
    }
    const unknown = '11111111-1111-4111-8111-111111111112'
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['GET', '/compare'],
      ['POST', '/save', { title: 'x' }],
      ['POST', '/promote', { mainHash: 'x' }],
    ] as const) {
      const told = await ask(method, version + path, body)
      expect(told).toEqual(await ask(method, unknown + path, body))
      expect(told.status).toBe(404)
    }
  },
)
