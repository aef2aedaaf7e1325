// Flows that run before items are written or read, and before the commit of what is written.
import { scryptSync } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFlows, defineFlow, type Flows } from '../../../src/flows.ts'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  listItems,
  updateItem,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, number, string, text } from '../../support/fields.ts'

const schema = defineSchema({
  articles: {
    fields: { id: key, title: string, slug: text, views: number, secret: { type: 'hash', nullable: true } },
  },
  notes: { fields: { id: key, text, article: number } },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  let flows: Flows | undefined
  beforeEach(async () => {
    opened = await open()
    const serial = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    await opened.run(
      `create table articles (id ${serial}, title text not null, slug text unique, views integer, secret text)`,
      `create table notes (id ${serial}, text text, article integer)`,
    )
    engine = createEngine({ db: opened.db, schema })
  })
  afterEach(() => flows?.stop())

  it('the payload is what "returns" names', async () => {
    flows = createFlows(engine, {
      flows: [
        defineFlow({
          name: 'slug',
          trigger: { on: 'items.create', collections: ['articles'], when: 'before', returns: 'named' },
          first: 'named',
          operations: {
            named: {
              type: 'transform',
              options: {
                json: { title: '{{ $trigger.payload.title }}', slug: 'a-{{ $trigger.payload.title }}' },
              },
            },
          },
        }),
      ],
    })
    expect(await createItem(engine, 'articles', { title: 'Tea' }, { fields: ['title', 'slug'] })).toEqual({
      title: 'Tea',
      slug: 'a-Tea',
    })
  })

  it('a condition refuses', async () => {
    flows = createFlows(engine, {
      flows: [
        defineFlow({
          name: 'good',
          trigger: { on: ['items.create', 'items.update'], collections: ['articles'], when: 'before' },
          first: 'c',
          operations: {
            c: {
              type: 'condition',
              options: { filter: { $trigger: { payload: { title: { _contains: 'good' } } } } },
            },
          },
        }),
      ],
    })
    await expect(createItem(engine, 'articles', { title: 'bad' })).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
      status: 400,
    })
    await createItem(engine, 'articles', { id: 1, title: 'good' })
    await expect(updateItem(engine, 'articles', 1, { title: 'worse' })).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
    })
    expect((await listItems(engine, 'articles')).data).toMatchObject([{ title: 'good' }])
  })

  it('before a read the query is what "returns" names, by any door', async () => {
    await createItem(engine, 'articles', { title: 'Tea', views: 1 })
    await createItem(engine, 'articles', { title: 'Cake', views: 9 })
    flows = createFlows(engine, {
      flows: [
        defineFlow({
          name: 'popular',
          trigger: { on: 'items.read', collections: ['articles'], when: 'before', returns: 'only' },
          first: 'only',
          operations: {
            only: {
              type: 'transform',
              options: { json: { fields: '{{ $trigger.payload.fields }}', filter: { views: { _gt: 5 } } } },
            },
          },
        }),
      ],
    })
    expect((await listItems(engine, 'articles', { fields: ['title'] })).data).toEqual([{ title: 'Cake' }])
    expect(
      (await listItems(engine.as({ admin: true }), 'articles', { fields: ['title'] })).data,
    ).toHaveLength(1)
  })

  it('hashed values are masked, and a flow that returns the mask leaves what was sent', async () => {
    flows = createFlows(engine, {
      flows: [
        defineFlow({
          name: 'copy',
          trigger: { on: 'items.create', collections: ['articles'], when: 'before', returns: 'copy' },
          first: 'copy',
          operations: {
            copy: {
              type: 'transform',
              options: {
                json: {
                  title: 'is {{ $trigger.payload.secret }}',
                  secret: '{{ $trigger.payload.secret }}',
                },
              },
            },
          },
        }),
      ],
    })
    await createItem(engine, 'articles', { title: 'Tea', secret: 'plain-text' })
    const { rows } = await sql<{ title: string; secret: string }>`select title, secret from articles`.execute(
      opened.db,
    )
    expect(rows[0]?.title).toBe('is **********')
    expect(isHashOf('plain-text', rows[0]?.secret ?? '')).toBe(true)
  })

  it('beforeCommit writes in the transaction of its cause, and undoes it', async () => {
    flows = createFlows(engine, {
      flows: [
        defineFlow({
          name: 'audit',
          trigger: { on: 'items.create', collections: ['articles'], when: 'beforeCommit' },
          access: 'full',
          first: 'note',
          operations: {
            note: {
              type: 'item-create',
              options: {
                collection: 'notes',
                payload: { text: '{{ $trigger.payload.title }}', article: '{{ $trigger.key }}' },
              },
              resolve: 'check',
            },
            check: {
              type: 'condition',
              options: { filter: { $trigger: { payload: { title: { _neq: 'never' } } } } },
            },
          },
        }),
      ],
    })
    await createItem(engine, 'articles', { id: 7, title: 'Tea' })
    await expect(createItem(engine, 'articles', { id: 8, title: 'never' })).rejects.toMatchObject({
      status: 400,
    })
    expect((await listItems(engine, 'notes')).data).toMatchObject([{ text: 'Tea', article: 7 }])
    expect((await listItems(engine, 'articles')).data).toHaveLength(1)
  })

  it('a failed operation that is handled leaves nothing behind, and the write stands', async () => {
    flows = createFlows(engine, {
      flows: [
        defineFlow({
          name: 'twin',
          trigger: { on: 'items.create', collections: ['articles'], when: 'beforeCommit' },
          access: 'full',
          first: 'twin',
          operations: {
            twin: {
              type: 'item-create',
              options: {
                collection: 'articles',
                payload: { title: 'twin', slug: '{{ $trigger.payload.slug }}' },
              },
              reject: 'note',
            },
            note: {
              type: 'item-create',
              options: { collection: 'notes', payload: { text: '{{ twin.code }}' } },
            },
          },
        }),
      ],
    })
    await createItem(engine, 'articles', { title: 'Tea', slug: 'tea' })
    expect((await listItems(engine, 'articles')).data).toHaveLength(1)
    expect((await listItems(engine, 'notes')).data).toMatchObject([{ text: 'RECORD_NOT_UNIQUE' }])
  })

  it('a flow is not started by what it writes itself, unless it says so, and then eight times', async () => {
    const looping = (emitEvents: boolean) =>
      defineFlow({
        name: 'loop',
        trigger: { on: 'items.create', collections: ['articles'], when: 'beforeCommit' },
        access: 'full',
        first: 'more',
        operations: {
          more: {
            type: 'item-create',
            options: { collection: 'articles', payload: { title: 'more' }, emitEvents },
          },
        },
      })
    flows = createFlows(engine, { flows: [looping(false)] })
    await createItem(engine, 'articles', { title: 'Tea' })
    expect((await listItems(engine, 'articles')).data).toHaveLength(2)
    await flows.stop()
    flows = createFlows(engine, { flows: [looping(true)] })
    await expect(createItem(engine, 'articles', { title: 'Tea' })).rejects.toMatchObject({ status: 422 })
    expect((await listItems(engine, 'articles')).data).toHaveLength(2)
  })
})

/** True if a text is hashed to another in the usual form. */
function isHashOf(text: string, hash: string): boolean {
  const [, , , salt = '', wanted = ''] = hash.split('$')
  const key = scryptSync(text, Buffer.from(salt, 'base64'), Buffer.from(wanted, 'base64').length, {
    N: 2 ** 14,
    r: 8,
    p: 1,
  })
  return key.equals(Buffer.from(wanted, 'base64'))
}
