// Flows that users start for items: which items they may name, and with whose rights it runs.
import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf, echo, noteIds, type Served, serve } from './served.ts'

const manual = { on: 'manual', allow: 'authenticated' }
const body = '$trigger.body'

let served: Served
beforeAll(async () => {
  served = await serve([
    echo('publish', { ...manual, collections: ['articles', 'notes', 'parts'], returns: body }),
    echo('editors', { ...manual, allow: { role: { _eq: 'editor' } }, returns: body }),
    echo('any', { ...manual, needsSelection: false, returns: body }),
    echo('articles', { ...manual, collections: ['articles'], returns: '$trigger' }),
    {
      name: 'rights',
      trigger: manual,
      first: 'o',
      operations: { o: { type: 'item-read', options: { collection: 'articles' } } },
    },
    // Started by another one that has no caller.
    {
      name: 'inner',
      trigger: { on: 'flow' },
      first: 'o',
      operations: { o: { type: 'item-read', options: { collection: 'articles' } } },
    },
    {
      name: 'outer',
      trigger: { on: 'webhook', allow: 'public' },
      access: 'nobody',
      first: 'o',
      operations: { o: { type: 'trigger', options: { flow: 'inner' } } },
    },
  ])
})

const start = (name: string, token: string, json: unknown) =>
  served.send(`/flows/trigger/${name}`, { token, json })
const articles = (...keys: readonly unknown[]) => ({ collection: 'articles', keys })

describe('a manual start', () => {
  it('has the items of the caller, by keys of their type, each once', async () => {
    expect((await start('publish', 'admin', articles(2, '1', 1))).body).toEqual(articles(2, 1))
    expect((await start('publish', 'ada', articles('1', 3))).body).toEqual(articles(1, 3))
    const notes = { collection: 'notes', keys: [noteIds[1]] }
    expect((await start('publish', 'admin', notes)).body).toEqual(notes)
    const parts = {
      collection: 'parts',
      keys: [
        [1, 2],
        [1, '1'],
      ],
    }
    expect((await start('publish', 'admin', parts)).body).toEqual({
      collection: 'parts',
      keys: [
        [1, 2],
        [1, 1],
      ],
    })
  })

  it('has what else was sent', async () => {
    const { body: trigger } = await start('articles', 'admin', { ...articles(1), reason: 'Now.' })
    expect(trigger).toEqual({
      path: '/flows/trigger/articles',
      method: 'POST',
      query: {},
      body: { ...articles(1), reason: 'Now.' },
      headers: {},
    })
  })

  it.each<[string, unknown, number, string]>([
    ['an item that is not there', articles(1, 99), 404, 'NOT_FOUND'],
    ['an item that the caller does not see', articles(1, 2), 404, 'NOT_FOUND'],
    ['another writing of a number', articles('01'), 404, 'NOT_FOUND'],
    ['a collection that is not there', { collection: 'nowhere', keys: [1] }, 404, 'NOT_FOUND'],
    [
      'a collection that the caller does not see',
      { collection: 'notes', keys: [noteIds[0]] },
      404,
      'NOT_FOUND',
    ],
    ['no key', articles(), 400, 'INVALID_PAYLOAD'],
    ['no keys', { collection: 'articles' }, 400, 'INVALID_PAYLOAD'],
    ['keys that are no list', { collection: 'articles', keys: 1 }, 400, 'INVALID_PAYLOAD'],
    ['null as a key', articles(null), 400, 'INVALID_PAYLOAD'],
    ['an object as a key', articles({ id: 1 }), 400, 'INVALID_PAYLOAD'],
    ['a list as a key', articles([1]), 400, 'INVALID_PAYLOAD'],
    ['too many keys', articles(...Array(10_001).fill(1)), 400, 'INVALID_PAYLOAD'],
    ['no collection', { keys: [1] }, 400, 'INVALID_PAYLOAD'],
    ['a list', [1], 400, 'INVALID_PAYLOAD'],
    ['nothing', undefined, 400, 'INVALID_PAYLOAD'],
  ])('is refused for %s', async (_, json, status, code) => {
    const before = (await served.runs()).length
    const answer = await start('publish', 'ada', json)
    expect([answer.status, codeOf(answer)]).toEqual([status, code])
    expect((await served.runs()).length).toBe(before)
  })

  it('says of which item it is refused, and the same of one that is hidden and of none', async () => {
    const [hidden, none] = [
      await start('publish', 'ada', articles(1, 2)),
      await start('publish', 'ada', articles(1, 99)),
    ]
    expect(hidden.body).toEqual(none.body)
    expect(hidden.body).toEqual({
      errors: [
        {
          message: 'There is no such item, or you may not see it.',
          extensions: { code: 'NOT_FOUND', path: ['keys', 1] },
        },
      ],
    })
  })

  it('is of the collections of the flow alone', async () => {
    const answer = await start('articles', 'admin', { collection: 'notes', keys: [noteIds[0]] })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_PAYLOAD'])
  })

  it('may need no items', async () => {
    expect((await start('any', 'ada', { collection: 'articles' })).body).toEqual({
      collection: 'articles',
      keys: [],
    })
    expect((await start('any', 'ada', articles(2))).status).toBe(404)
    expect((await start('any', 'ada', {})).status).toBe(400)
  })

  it('asks who it is before it looks at the body', async () => {
    expect((await start('editors', 'bob', [])).status).toBe(404)
    expect((await start('editors', 'ada', [])).status).toBe(400)
    expect((await served.send('/flows/trigger/editors', { json: [] })).status).toBe(401)
  })

  it('has many items', async () => {
    const keys = Array.from(
      { length: 1_500 },
      (_, at) => `aaaaaaaa-0000-4000-8000-${String(at + 1).padStart(12, '0')}`,
    )
    const answer = await start('publish', 'admin', { collection: 'notes', keys })
    expect([
      answer.status,
      (answer.body as { errors: { extensions: unknown }[] }).errors[0]?.extensions,
    ]).toEqual([404, { code: 'NOT_FOUND', path: ['keys', 2] }])
  })
})

describe('the rights of what starts from outside', () => {
  const titles = ({ body: items }: Awaited<ReturnType<typeof start>>) =>
    (items as { title: string }[]).map(({ title }) => title)

  it('are those of the caller', async () => {
    expect(titles(await start('rights', 'ada', articles(1)))).toEqual(['One', 'Three'])
    expect(titles(await start('rights', 'admin', articles(1)))).toEqual(['One', 'Two', 'Three'])
  })

  it('are none of a flow of the rights of "caller" that another one of nobody starts', async () => {
    const answer = await served.send('/flows/trigger/outer', { token: 'admin' })
    expect([answer.status, codeOf(answer)]).toEqual([403, 'FORBIDDEN'])
  })
})
