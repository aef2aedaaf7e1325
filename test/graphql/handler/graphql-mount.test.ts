// GraphQL beside REST, in one handler.
import { beforeAll, describe, expect, it } from 'vitest'
import { type GraphQLMountOptions, graphql } from '../../../src/graphql.ts'
import { createHandler } from '../../../src/http.ts'
import { requestOf } from '../../support/request-of.ts'
import { openTags, type Tags } from '../../support/tags.ts'

let engine: Tags

beforeAll(async () => {
  ;({ engine } = await openTags())
})

async function ask(path: string, { options, body }: { options?: GraphQLMountOptions; body?: object } = {}) {
  const authenticate = () => ({ rules: { tags: { read: { filter: { id: 1 } } } } })
  const handler = createHandler(engine, { authenticate, prefix: '/api', mounts: [graphql(options)] })
  const answer = await handler(requestOf(body ? 'POST' : 'GET', `/api${path}`, body))
  return [answer.status, await answer.text()]
}

const query = '{ tags { name } }'
const hot = '{"data":{"tags":[{"name":"hot"}]}}'

describe('GraphQL beside REST', () => {
  it('answers below the prefix of the handler, with the rules of its callers', async () => {
    expect(await ask('/graphql', { body: { query } })).toEqual([200, hot])
    expect(await ask(`/graphql?query=${encodeURIComponent(query)}`)).toEqual([200, hot])
    expect(await ask('/items/tags?fields=name')).toEqual([200, '{"data":[{"name":"hot"}]}'])
    expect(await ask('/graphql/schema')).toEqual([200, expect.stringContaining('type tags {')])
    expect((await ask('/graphql/system'))[0]).toBe(404)
  })

  it('has a path of its own, and options of its own', async () => {
    expect(await ask('/q', { options: { prefix: '/q' }, body: { query } })).toEqual([200, hot])
    expect((await ask('/graphql', { options: { prefix: '/q' }, body: { query } }))[0]).toBe(404)
    expect((await ask('/graphql/schema', { options: { introspection: false } }))[0]).toBe(404)
  })

  it('refuses options that are wrong, and those that the engine does not fit', () => {
    expect(() => graphql({ prefx: '/' } as never)).toThrow('There is no option "prefx".')
    const mounts = [graphql({ names: { rename: { nothing: 'x' } } })]
    expect(() => createHandler(engine, { authenticate: () => null, mounts })).toThrow(
      'There is no collection or field "nothing" to be renamed.',
    )
    expect(() => createHandler(engine, { authenticate: () => null, mounts: [graphql(), graphql()] })).toThrow(
      'The path "/graphql" of a mount is taken.',
    )
  })
})
