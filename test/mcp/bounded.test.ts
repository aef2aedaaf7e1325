// Answers that are cut: pages that go on at their last whole item, lists inside of items, and bytes wherever they are.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, type Engine } from '../../src/index.ts'
import { createMcpServer } from '../../src/mcp.ts'
import { run } from '../introspect/samples/sample.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const id = { type: 'integer', key: true } as const
const photo = { type: 'binary', nullable: true } as const
const schema = defineSchema({
  posts: {
    fields: { id, text: { type: 'text' }, photo, comments: { type: 'o2m', from: 'comments.post' } },
  },
  comments: { fields: { id, photo, post: { type: 'm2o', to: 'posts' } } },
  pages: { fields: { id, blocks: { type: 'm2a', through: 'blocks.page', to: 'item' } } },
  blocks: {
    fields: {
      id,
      page: { type: 'm2o', to: 'pages' },
      kind: { type: 'string' },
      item: { type: 'any', to: ['posts', 'comments'], by: 'kind' },
    },
  },
  lines: { key: false, fields: { text: { type: 'text' }, photo } },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  beforeEach(async () => {
    opened = await open()
    const bytes = name === 'sqlite' ? 'blob' : 'bytea'
    const value = name === 'sqlite' ? "x'deadbeef'" : "'\\xdeadbeef'::bytea"
    await run(
      opened.db,
      `create table posts (id integer primary key, text text not null, photo ${bytes})`,
      `create table comments (id integer primary key, photo ${bytes}, post integer not null)`,
      'create table pages (id integer primary key)',
      'create table blocks (id integer primary key, page integer not null, kind text not null, item text not null)',
      `create table lines (text text not null, photo ${bytes})`,
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 300)
        insert into posts select i, 'x', ${value} from n`,
      `insert into comments select id, ${value}, case when id < 150 then 1 else 2 end from posts`,
      'insert into pages values (1)',
      `insert into blocks values (1, 1, 'posts', '1'), (2, 1, 'comments', '2')`,
      'insert into lines select text, photo from posts',
    )
    engine = createEngine({ db: opened.db, schema })
  })
  afterEach(() => opened.close())

  async function agent(): Promise<(name: string, input: object) => Promise<string>> {
    const server = await createMcpServer(engine.as({ admin: true }), { write: true })
    const [here, there] = InMemoryTransport.createLinkedPair()
    await server.connect(there)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(here)
    return async (tool, input) => {
      const { content } = await client.callTool({ name: tool, arguments: { ...input } })
      return (content as readonly { readonly text: string }[])[0]?.text ?? ''
    }
  }

  it('goes on after the last item that is whole, and reads a page once', async () => {
    await run(opened.db, `update posts set text = '${'x'.repeat(450)}' || id, photo = null`)
    const call = await agent()
    const seen: number[] = []
    let last = ''
    let after: string | undefined
    do {
      const input = {
        collection: 'posts',
        fields: ['id', 'text', 'text', 'photo'],
        filter: { id: { _lte: 90 } },
      }
      const text = await call('list', { ...input, sort: ['-text'], ...(after !== undefined && { after }) })
      const [json = '', ...rest] = text.split('\n')
      last = rest.join('\n')
      seen.push(...JSON.parse(json).data.map((one: { readonly id: number }) => one.id))
      after = /"after": "(.*)"\.$/.exec(last)?.[1]
    } while (after !== undefined)
    expect(seen).toHaveLength(90)
    expect(new Set(seen).size).toBe(90)
    expect(last).toMatch(/^\d+ of 90 items\.$/)
  })

  it('says which lists inside of items are cut', async () => {
    const call = await agent()
    const input = { collection: 'posts', fields: ['id', 'comments.id'], limit: 1 }
    expect(await call('list', input)).toContain('\n1 of 300 items. Cut by their limit: comments. For more')
    expect(await call('list', { ...input, fields: ['id'] })).toContain('\n1 of 300 items. For more')
  })

  it('says how to read less where there are no cursors', async () => {
    const call = await agent()
    const input = { collection: 'lines', fields: ['text'] }
    expect(await call('list', input)).toMatch(/\n25 of 300 items\. Narrow "filter" for others\.$/)
    expect(await call('list', { ...input, limit: 0 })).toMatch(/\n0 of 300 items\.$/)
  })

  it('sends no bytes, wherever they are', async () => {
    const call = await agent()
    for (const [tool, input] of [
      ['list', { collection: 'posts', limit: 2 }],
      ['list', { collection: 'posts', fields: ['photo'], limit: 2 }],
      ['list', { collection: 'posts', fields: ['comments.*'], limit: 1 }],
      ['list', { collection: 'comments', fields: ['*', 'post.*', 'post.comments.photo'], limit: 1 }],
      ['list', { collection: 'pages', fields: ['blocks.item:posts.*', 'blocks.item:comments.*'] }],
      ['list', { collection: 'blocks', fields: ['item:posts.photo', 'item:comments.post.photo'] }],
      ['list', { collection: 'lines', limit: 1 }],
      ['get', { collection: 'posts', key: 1 }],
      ['get', { collection: 'posts', key: 1, fields: ['photo'] }],
      ['write', { collection: 'posts', keys: [1], data: { photo: '3q2+7w==' } }],
    ] as const) {
      const answer = await call(tool, input)
      expect(answer, answer).toContain('(bytes)')
      expect(answer).not.toMatch(/3q2-?\+?7w|deadbeef/i)
    }
    for (const aggregate of [{ max: ['photo'] }, { min: ['photo'] }])
      expect(await call('aggregate', { collection: 'posts', aggregate })).not.toMatch(/3q2|deadbeef/i)
  })

  it('cuts long texts of wildcards, which are no field alone', async () => {
    await run(opened.db, `update posts set text = '${'x'.repeat(900)}' where id = 1`)
    const call = await agent()
    const get = (fields: readonly string[]) => call('get', { collection: 'posts', key: 1, fields })
    expect(await get(['*'])).toContain('… (900 characters)')
    expect(await get(['text'])).toBe(`{"data":{"text":"${'x'.repeat(900)}"}}`)
  })
})
