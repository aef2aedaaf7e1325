// Tags: what the client has already, and what it has seen before it changes it.
import { createServer } from 'node:http'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toNode } from '../../src/http.ts'
import { databases } from '../support/databases.ts'
import { openWorld, version, type World } from './magazine.ts'
import { overHttp, type Wire } from './transports.ts'

const unknown = '11111111-1111-4111-8111-111111111112'

describe.each(databases)('on $name', (database) => {
  let world: World
  let wire: Wire
  beforeAll(async () => {
    world = await openWorld(database)
    wire = await overHttp(createServer(toNode(world.handler)))
  })
  beforeEach(() => world.reset())

  const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: object) =>
    wire.send({
      method,
      path: `/api${path}`,
      headers: { authorization: 'Bearer admin', 'content-type': 'application/json', ...headers },
      body: body && Buffer.from(JSON.stringify(body)),
    })
  const tagOf = async (path: string) => String((await ask('GET', path)).headers.etag)
  const code = ({ text }: { readonly text: string }) => JSON.parse(text).errors[0].extensions.code

  it.each(['/items/articles', '/items/articles/1', '/items/site', '/versions'])(
    'what the client has of %s is not sent again',
    async (path) => {
      const tag = await tagOf(path)
      expect(await ask('GET', path, { 'if-none-match': tag })).toMatchObject({
        status: 304,
        text: '',
        headers: { etag: tag },
      })
      for (const list of ['*', `"other", ${tag}`, tag.replace(/^W\//, '')])
        expect(await ask('GET', path, { 'if-none-match': list })).toMatchObject({ status: 304, text: '' })
      expect(await ask('HEAD', path, { 'if-none-match': tag })).toMatchObject({ status: 304, text: '' })
      expect(await ask('GET', path, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
    },
  )

  it('what has changed is sent again', async () => {
    const tag = await tagOf('/items/articles')
    await ask('PATCH', '/items/articles/1', {}, { title: 'Green tea' })
    expect(await ask('GET', '/items/articles', { 'if-none-match': tag })).toMatchObject({ status: 200 })
  })

  it('a failure has no tag', async () => {
    const { status, headers } = await ask('GET', '/items/articles/9', { 'if-none-match': '*' })
    expect({ status, etag: headers.etag }).toEqual({ status: 404, etag: undefined })
  })

  it.each(['PATCH', 'DELETE'])(
    '%s changes what is still as it was seen, and nothing else',
    async (method) => {
      const path = '/items/articles/3'
      const tag = await tagOf(path)
      const body = method === 'PATCH' ? { views: 8 } : undefined
      await ask('PATCH', path, {}, { title: 'Chocolate' })
      const late = await ask(method, path, { 'if-match': tag }, body)
      expect({ status: late.status, code: code(late) }).toEqual({ status: 412, code: 'PRECONDITION_FAILED' })
      expect(JSON.parse((await ask('GET', path)).text).data).toMatchObject({ title: 'Chocolate', views: 7 })

      const { status } = await ask(method, path, { 'if-match': await tagOf(path) }, body)
      expect(status).toBe(method === 'PATCH' ? 200 : 204)
      expect((await ask('GET', path)).status).toBe(method === 'PATCH' ? 200 : 404)
    },
  )

  it('any item matches a star, and none is none', async () => {
    const any = { 'if-match': '*' }
    expect((await ask('PATCH', '/items/articles/1', any, { views: 1 })).status).toBe(200)
    expect((await ask('PATCH', '/items/articles/9', any, { views: 1 })).status).toBe(404)
    expect((await ask('DELETE', '/items/articles/9', any)).status).toBe(404)
  })

  it('of two who have seen the same, one changes it', async () => {
    const tag = await tagOf('/items/articles/1')
    const change = (views: number) =>
      world.handler(
        new Request('http://localhost/api/items/articles/1', {
          method: 'PATCH',
          headers: { authorization: 'Bearer admin', 'content-type': 'application/json', 'if-match': tag },
          body: JSON.stringify({ views }),
        }),
      )
    for (let round = 0; round < 5; round++) {
      await world.reset()
      const answers = await Promise.all([change(1), change(2), change(3), change(4)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
    }
  })

  it('a singleton is changed as it was seen, and not otherwise', async () => {
    const tag = await tagOf('/items/site')
    expect((await ask('PATCH', '/items/site', { 'if-match': tag }, { motto: 'Go' })).status).toBe(200)
    const late = await ask('PATCH', '/items/site', { 'if-match': tag }, { motto: 'Stay' })
    expect({ status: late.status, code: code(late) }).toEqual({ status: 412, code: 'PRECONDITION_FAILED' })
  })

  it.each(['PATCH', 'DELETE'])(
    '%s of a version keeps it as it was seen, and nothing else',
    async (method) => {
      const path = `/versions/${version}`
      const tag = await tagOf(path)
      const body = method === 'PATCH' ? { name: 'Late' } : undefined
      expect((await ask('PATCH', path, { 'if-match': tag }, { name: 'Early' })).status).toBe(200)
      const late = await ask(method, path, { 'if-match': tag }, body)
      expect({ status: late.status, code: code(late) }).toEqual({ status: 412, code: 'PRECONDITION_FAILED' })
      expect(JSON.parse((await ask('GET', path)).text).data).toMatchObject({ name: 'Early' })
      const { status } = await ask(method, path, { 'if-match': await tagOf(path) }, body)
      expect(status).toBe(method === 'PATCH' ? 200 : 204)
      expect((await ask(method, `/versions/${unknown}`, { 'if-match': '*' }, body)).status).toBe(404)
    },
  )

  it('of two who have seen the same version, one changes it', async () => {
    const path = `/versions/${version}`
    const tag = await tagOf(path)
    const change = (name: string) =>
      world.handler(
        new Request(`http://localhost/api${path}`, {
          method: 'PATCH',
          headers: { authorization: 'Bearer admin', 'content-type': 'application/json', 'if-match': tag },
          body: JSON.stringify({ name }),
        }),
      )
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(change))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
  })

  it.each([
    ['PUT', '/items/articles', { id: 1, title: 'x' }],
    ['POST', '/items/articles', { title: 'x' }],
    ['PATCH', '/items/articles', [{ id: 1, title: 'x' }]],
    ['DELETE', '/items/articles', [1]],
    ['POST', '/items/blank', { title: 'x' }],
    ['DELETE', '/versions', [version]],
    ['PATCH', '/versions', [{ id: version, name: 'x' }]],
    ['POST', `/versions/${version}/save`, { title: 'x' }],
  ])('%s %s, which cannot keep a condition, refuses it', async (method, path, body) => {
    const answer = await ask(method, path, { 'if-match': '*' }, body)
    expect({ status: answer.status, code: code(answer) }).toEqual({ status: 400, code: 'INVALID_QUERY' })
    expect((await ask('GET', '/items/articles?filter[title]=x')).text).toBe('{"data":[]}')
    expect(JSON.parse((await ask('GET', '/versions?fields=name')).text).data).toEqual([{ name: 'Draft' }])
  })
})
