// Watched files and their folders: what uploads, replacements, moves and deletions do to them is told, each once its bytes are there, and what was
// undone is not.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  createItem,
  defineSchema,
  deleteByQuery,
  deleteFile,
  deleteItem,
  type Engine,
  filesDefinition,
  listFiles,
  listItems,
  updateFile,
  updateItem,
  uploadFile,
} from '../../../src/index.ts'
import { createFeed, type Feed, type FeedMessage, localSource, watchItems } from '../../../src/realtime.ts'
import { memoryStorage, type Storage } from '../../../src/storage.ts'
import { streamOf } from '../../files/gallery-fixture.ts'
import { databases } from '../../support/databases.ts'
import { many, maybeOne, string } from '../../support/fields.ts'
import { Replica } from '../replica.ts'
import { pause, until } from '../tasks.ts'

const schema = defineSchema({
  files: { ...filesDefinition, fields: { ...filesDefinition.fields, folder: maybeOne('folders') } },
  folders: {
    fields: {
      id: { type: 'uuid', key: true },
      name: string,
      parent: maybeOne('folders'),
      files: many('files.folder'),
    },
  },
})
type Rights = Access<typeof schema>

const folderId = (last: number) => `00000000-0000-4000-8000-00000000000${last}`
const [open, closed, inside] = [folderId(1), folderId(2), folderId(3)] as const
const bytes = new TextEncoder().encode('Hello')
const memberships = ['page', 'match'] as const

describe.each(databases)('on $name', ({ open: openDatabase }) => {
  let storage: Storage
  let engine: Engine<typeof schema>
  let feed: Feed<typeof schema>
  const readers: { readonly isRight: () => Promise<void>; readonly leave: () => Promise<void> }[] = []

  beforeEach(async () => {
    const opened = await openDatabase()
    storage = memoryStorage()
    await opened.run('create table folders (id uuid primary key, name text not null, parent uuid)')
    // Uploads that wait for each other get their turn on a slow machine, too.
    engine = createEngine({ db: opened.db, schema, storage, acquireTimeoutMs: 60_000 })
    await engine.install()
    await createItem(engine, 'folders', { id: open, name: 'open' })
    await createItem(engine, 'folders', { id: closed, name: 'closed' })
    await createItem(engine, 'folders', { id: inside, name: 'inside', parent: open })
    feed = createFeed(engine, { source: localSource(), settleMs: 1 })
  })
  afterEach(async () => {
    for (const { leave } of readers.splice(0)) await leave()
    await feed.stop()
  })

  /** Watches a list, and compares what was told with what is listed. */
  async function watching(
    access: Rights,
    collection: 'files' | 'folders',
    query: object,
    membership: (typeof memberships)[number],
  ) {
    const replica = new Replica()
    const told: FeedMessage[] = []
    const watched = watchItems(feed.as(access), collection, query, { membership })
    const over = (async () => {
      for await (const message of watched) {
        told.push(message)
        replica.apply(message)
      }
    })()
    const isRight = async () => {
      const { data } = await listItems(engine.as(access), collection, query)
      const texts = (items: readonly unknown[]) =>
        items
          .map((item) => JSON.stringify(item))
          .toSorted()
          .join()
      await until(() => replica.isKnown && texts(replica.data) === texts(data))
    }
    const leave = async () => {
      await watched.return()
      await over
    }
    readers.push({ isRight, leave })
    await isRight()
    return { replica, told, text: () => JSON.stringify(told) }
  }
  const areRight = async () => {
    for (const { isRight } of readers) await isRight()
  }
  /** Of what stands in open folders, and in folders in these. */
  const visitor: Rights = {
    rules: {
      files: {
        read: {
          fields: ['id', 'title', 'filesize', 'folder'],
          filter: { _or: [{ folder: { name: 'open' } }, { folder: { parent: { name: 'open' } } }] },
        },
      },
      folders: { read: { filter: { _or: [{ name: 'open' }, { parent: { name: 'open' } }] } } },
    },
  }
  const query = { fields: ['id', 'title', 'filesize', 'folder.name'], sort: ['title'] } as const

  it.each(memberships)('what becomes of files is told (%s)', async (membership) => {
    const mine = await watching(visitor, 'files', query, membership)
    const all = await watching({ admin: true }, 'files', query, membership)
    const counted = await watching(visitor, 'files', { aggregate: { count: '*', sum: ['filesize'] } }, 'page')
    const { id } = await uploadFile(engine, bytes, { filename: 'one.txt', title: 'One', folder: open })
    await areRight()
    expect(mine.replica.data).toMatchObject([{ title: 'One', filesize: 5 }])
    const secret = await uploadFile(engine, bytes, { filename: 'b', title: 'Secret', folder: closed })
    await updateFile(engine, id, { title: 'Two' }, new TextEncoder().encode('Hello again'))
    await areRight()
    expect(mine.replica.data).toMatchObject([{ title: 'Two', filesize: 11 }])
    expect(counted.replica.data).toMatchObject([{ count: 1, sum: { filesize: 11 } }])
    // It moves to where it is not seen, and comes back from there.
    await updateItem(engine, 'files', id, { folder: closed })
    await areRight()
    expect(mine.replica.data).toEqual([])
    await updateItem(engine, 'files', id, { folder: inside })
    await areRight()
    await deleteFile(engine, id)
    await areRight()
    await updateItem(engine, 'files', secret.id, { title: 'Open', folder: open })
    await areRight()
    await deleteByQuery(engine, 'files', { filter: { folder: { _eq: open } } })
    await areRight()
    expect(all.replica.data).toEqual([])
    expect(mine.text()).not.toContain('Secret')
    expect([...mine.replica.strange, ...all.replica.strange]).toEqual([])
  })

  it.each(memberships)(
    'folders that move, are named and go take their files along (%s)',
    async (membership) => {
      const files = await watching(visitor, 'files', query, membership)
      const folders = await watching(
        visitor,
        'folders',
        { fields: ['name', 'parent.name', 'files.title'] },
        membership,
      )
      for (const [title, folder] of [
        ['One', open],
        ['Two', inside],
        ['Secret', closed],
      ])
        await uploadFile(engine, bytes, { filename: 'file', title, folder })
      await areRight()
      const steps: readonly (() => Promise<unknown>)[] = [
        () => updateItem(engine, 'folders', inside, { parent: closed }),
        () => updateItem(engine, 'folders', inside, { parent: open, name: 'within' }),
        () => updateItem(engine, 'folders', open, { name: 'shut' }),
        () => updateItem(engine, 'folders', open, { name: 'open', parent: inside }),
        () => updateItem(engine, 'folders', open, { parent: null }),
        () =>
          engine.transaction(async (unit) => {
            await updateItem(
              unit,
              'files',
              (await listFiles(unit, { filter: { title: 'Two' } })).data[0]?.id ?? '',
              {
                folder: closed,
              },
            )
            await deleteItem(unit, 'folders', inside)
          }),
        () => createItem(engine, 'folders', { id: inside, name: 'again', parent: open }),
      ]
      for (const step of steps) {
        await step()
        await areRight()
      }
      expect(folders.replica.data).toHaveLength(2)
      expect(files.text() + folders.text()).not.toContain('Secret')
    },
  )

  it('an upload that fails, or is undone, is not told', async () => {
    const { told } = await watching({ admin: true }, 'files', query, 'match')
    const before = told.length
    await expect(
      uploadFile(engine, streamOf('Hel', new Error('broken off')), { filename: 'a', title: 'Never' }),
    ).rejects.toThrow()
    const undone = engine.transaction(async (unit) => {
      await uploadFile(unit, bytes, { filename: 'b', title: 'Never' })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await pause(30)
    expect(JSON.stringify(told.slice(before))).not.toContain('Never')
    await areRight()
    // The bytes are there before anybody hears of the file.
    const watched = watchItems(feed.as({ admin: true }), 'files', { fields: ['filename_disk'] })
    await watched.next()
    void uploadFile(engine, bytes, { filename: 'c', title: 'Now' })
    const { value } = await watched.next()
    const place = value?.kind === 'changes' ? String(value.set[0]?.item.filename_disk) : ''
    expect(await storage.stat(place)).toMatchObject({ size: 5 })
    await watched.return()
  })

  it('many uploads and deletions at once are told as they end', async () => {
    for (const membership of memberships) await watching(visitor, 'files', query, membership)
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const folder = [open, closed, inside][at % 3]
        const { id } = await uploadFile(engine, bytes, { filename: `${at}`, title: `File ${at}`, folder })
        if (at % 4 === 0) await updateFile(engine, id, { folder: open })
        if (at % 5 === 0) await deleteFile(engine, id)
        return id
      }),
    )
    expect(ids).toHaveLength(20)
    await areRight()
  })
})
