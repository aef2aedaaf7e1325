// Answers that are cut: pages that go on at their last whole item, lists inside of items, and bytes wherever they are.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, type Engine } from '../../src/index.ts'
import { createMcpServer, type McpOptions } from '../../src/mcp.ts'
import { run } from '../introspect/samples/sample.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { openAgent } from './agent.ts'

const id = { type: 'integer', key: true } as const
const photo = { type: 'binary', nullable: true } as const
const schema = defineSchema({
  posts: { fields: { id, text: { type: 'text' }, photo, comments: { type: 'o2m', from: 'comments.post' } } },
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

  const agent = async (limits: McpOptions['limits'] = {}) =>
    (await openAgent(createMcpServer(engine.as({ admin: true }), { write: true, limits }))).call

  it('goes on after the last item that is whole, and reads a page once', async () => {
    await run(opened.db, `update posts set text = '${'x'.repeat(450)}' || id, photo = null`)
    const call = await agent({ characters: 8_000 })
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

  it('names the cut lists of items that it passes on alone', async () => {
    await run(opened.db, `update posts set text = '${'x'.repeat(480)}'`)
    const call = await agent()
    const fields = ['id', 'text', 'comments.id', 'comments.post.text']
    const list = (filter: object) => call('list', { collection: 'posts', fields, sort: ['-id'], filter })
    // The comments of 1 are longer than an answer, so that it is never passed on behind another.
    expect(await list({ id: { _in: [1, 3] } })).toMatch(/\n1 of 2 items\. For more: "after": ".*"\.$/)
    const ids = { collection: 'posts', fields: ['id', 'comments.id'], sort: ['-id'] }
    expect(await call('list', { ...ids, filter: { id: { _in: [1, 3] } } })).toMatch(
      /\n2 of 2 items\. Cut by their limit: comments\.$/,
    )
    engine.on('items.read', 'posts', ({ items }) => void (items as unknown[]).pop(), { when: 'after' })
    expect(await call('list', { ...ids, filter: { id: { _in: [1, 3] } } })).toMatch(/\n1 of 2 items\.$/)
    expect(await call('list', { ...ids, filter: { id: { _in: [1, 2] } } })).toContain('Cut by their limit: c')
  })

  it.each([
    ['takes items out', (items) => items.splice(1, 2)],
    ['takes most of them out', (items) => items.splice(0, 24)],
    ['takes all out', (items) => items.splice(0)],
    ['takes those out at the end', (items) => items.splice(-2)],
    ['replaces items', (items) => items.splice(0, items.length, ...items.map((one) => ({ ...one })))],
    ['adds items', (items) => items.unshift({ id: 0 })],
  ] satisfies readonly (readonly [string, (items: { id: number }[]) => unknown])[])(
    'repeats and leaves out no item where a hook %s',
    async (_name, change) => {
      await run(opened.db, `update posts set text = '${'x'.repeat(450)}', photo = null`)
      const left = new Set<number>()
      engine.on(
        'items.read',
        'posts',
        ({ items }) => {
          const list = items as { id: number }[]
          const before = list.map((one) => one.id)
          change(list)
          for (const one of before) if (!list.some((other) => other.id === one)) left.add(one)
        },
        { when: 'after' },
      )
      const call = await agent({ characters: 8_000 })
      const seen: number[] = []
      let after: string | undefined
      do {
        const input = { collection: 'posts', fields: ['id', 'text'], filter: { id: { _lte: 90 } } }
        const text = await call('list', { ...input, ...(after !== undefined && { after }) })
        const [json = '', last = ''] = text.split('\n')
        seen.push(...JSON.parse(json).data.map((one: { readonly id: number }) => one.id))
        after = /"after": "(.*)"\.$/.exec(last)?.[1]
      } while (after !== undefined)
      const items = seen.filter((one) => one > 0)
      expect(new Set(items).size).toBe(items.length)
      expect(new Set([...items, ...left]).size).toBe(90)
    },
  )

  it('says how to read less where a hook turns the order of a page that is cut', async () => {
    await run(opened.db, `update posts set text = '${'x'.repeat(450)}'`)
    engine.on('items.read', 'posts', ({ items }) => void (items as unknown[]).reverse(), { when: 'after' })
    const call = await agent({ characters: 8_000 })
    const input = { collection: 'posts', fields: ['id', 'text'] }
    expect(await call('list', input)).toMatch(/\n17 of 300 items\. Narrow "filter" for others\.$/)
    expect(await call('list', { ...input, limit: 9 })).toMatch(/\n9 of 300 items\. For more: "after": "/)
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

  it('cuts no sign in half', async () => {
    await run(opened.db, `update posts set text = '${'x'.repeat(499)}😀${'y'.repeat(9)}' where id = 1`)
    const call = await agent()
    const get = (fields: readonly string[]) => call('get', { collection: 'posts', key: 1, fields })
    expect(await get(['id', 'text'])).toBe(`{"data":{"id":1,"text":"${'x'.repeat(499)}… (510 characters)"}}`)
    await run(opened.db, `update posts set text = '${'x'.repeat(498)}😀${'y'.repeat(9)}' where id = 1`)
    expect(await get(['id', 'text'])).toContain('x😀… (509 characters)')
  })
})
