// The document of a narrowed engine: what its caller sees and may do, and not a word of anything else.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi, type OpenApiDocument } from '../../../src/http.ts'
import { type Access, createEngine, defineSchema, type Schema } from '../../../src/index.ts'
import { hiddenWords } from '../../access/hidden-words.ts'
import { key } from '../../support/fields.ts'
import { at, Checker } from '../openapi-checking.ts'
import { askerOf, openWorld, type World } from '../openapi-collections.ts'

const schema: Schema = defineSchema(hiddenWords)

const access: Access = {
  user: 7,
  rules: {
    articles: {
      read: [
        {
          filter: { hidden_text: 'hidden_value' },
          fields: ['id', 'title', 'owner', 'comments', 'links', 'hidden_links'],
        },
        { fields: ['id', 'comments', 'links'] },
      ],
      update: { fields: ['title', 'comments', 'links'] },
    },
    comments: { read: { fields: ['text', 'article'] } },
    links: { read: true },
    mailbox: { create: { fields: ['subject'], presets: { stamp: 'hidden_stamp' } } },
    versions: { read: true, create: true },
  },
}

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await openWorld(schema)
  document = describeApi(world.engine.as(access))
})

const namesOf = (schemaName: string, of = document) =>
  Object.keys(at(of, ['components', 'schemas', schemaName, 'properties']))

describe('a document of what somebody sees', () => {
  it('names nothing that is hidden', () => {
    const words = JSON.stringify(document).match(/\w*hidden\w*/g) ?? []
    // Relations to what is hidden were granted, too, and are of no use.
    expect([...new Set(words)]).toEqual([])
    expect(JSON.stringify(describeApi(world.engine)).match(/hidden_\w+/g)?.length).toBeGreaterThan(50)
  })

  it('has the operations that rules allow, and no others', () => {
    const operations = Object.entries(document.paths).flatMap(([path, { parameters: _, ...methods }]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(operations).toEqual([
      'get /items/articles',
      'put /items/articles',
      'patch /items/articles',
      'get /items/comments',
      'get /items/links',
      'post /items/mailbox',
      'get /items/articles/{key}',
      'patch /items/articles/{key}',
      'get /items/comments/{key}',
      'get /items/links/{key}',
      'get /versions',
      'post /versions',
      'get /versions/{id}',
      'get /versions/{id}/compare',
      'post /versions/{id}/promote',
      'post /items/articles/search',
      'post /items/comments/search',
      'post /items/links/search',
      'post /versions/search',
      'get /schema',
    ])
  })

  it('has the fields that rules allow, null where they stand on some items only', () => {
    expect(namesOf('articles')).toEqual(['id', 'title', 'owner', 'comments', 'links'])
    expect(namesOf('articles.update')).toEqual(['title', 'comments', 'links', 'id'])
    expect(namesOf('articles.conditions')).toEqual(['id', 'title', 'owner', 'comments', 'links'])
    expect(at(document, ['components', 'schemas', 'articles', 'properties'])).toMatchObject({
      id: { type: 'integer' },
      title: { type: ['string', 'null'] },
      owner: { type: ['integer', 'null'] },
    })
  })

  it('takes what may be created unseen, and shows nothing of it', () => {
    expect(at(document, ['components', 'schemas', 'mailbox.create'])).toMatchObject({ required: ['subject'] })
    expect(namesOf('mailbox.new')).toEqual(['subject'])
    expect(Object.keys(document.components.schemas)).not.toContain('mailbox')
    expect(Object.keys(document.paths['/items/mailbox']?.post?.responses ?? {})).toContain('204')
    expect(Object.keys(document.paths['/items/mailbox']?.post?.responses ?? {})).not.toContain('200')
  })

  it('is nothing for who may do nothing, and everything for an administrator', () => {
    expect(describeApi(world.engine.as({})).paths).toEqual({})
    expect(describeApi(world.engine.as({ admin: true }))).toEqual(describeApi(world.engine))
  })

  it('describes what the handler answers that caller', async () => {
    for (const hidden_text of ['hidden_value', 'other'])
      await world.ask('POST', '/items/articles', { title: 'Tea', hidden_text, comments: [{ text: 'good' }] })
    const checker = new Checker(document)
    const ask = checker.checking(askerOf(world.engine, { authenticate: () => access }))
    const list = await (await ask('GET', '/items/articles?fields=*.*')).json()
    expect(list).toMatchObject({ data: [{ title: 'Tea', comments: [{ text: 'good' }] }, { title: null }] })
    for (const [method, path, status, body] of [
      ['GET', '/items/articles/1', 200],
      ['GET', '/items/articles?fields=hidden_text', 403],
      ['GET', '/items/comments?fields=*.*', 200],
      ['PATCH', '/items/articles/1', 200, { title: 'Milk' }],
      ['PATCH', '/items/articles/1', 403, { hidden_text: 'Milk' }],
      ['POST', '/items/mailbox', 204, { subject: 'Hello' }],
      ['POST', '/items/mailbox', 403, { subject: 'Hello', stamp: 'x' }],
      ['POST', '/items/mailbox', 400, {}],
      ['GET', '/versions', 200],
      ['POST', '/versions', 200, { collection: 'articles', item: 1, key: 'draft' }],
    ] as const)
      expect([path, (await ask(method, path, body)).status]).toEqual([path, status])
    expect(checker.problemBy('mailbox.create', { subject: 'Hello' })).toBeUndefined()
    expect(checker.problemBy('mailbox.create', {})).toContain('required')
    expect(checker.problemBy('mailbox.create', { subject: 'Hello', stamp: 'x' })).toContain('additional')
  })
})

it('without versioned collections there are no versions', () => {
  const plain: Schema = defineSchema({ tags: { fields: { id: key } } })
  const paths = Object.keys(describeApi(createEngine({ db: world.db, schema: plain })).paths)
  expect(paths).toEqual(['/items/tags', '/items/tags/{key}', '/items/tags/search', '/schema'])
})
