import { beforeEach, describe, expect, it } from 'vitest'
import {
  compareVersion,
  createEngine,
  createItem,
  createVersion,
  defineSchema,
  deleteVersion,
  type Engine,
  getItem,
  listVersions,
  promoteVersion,
  saveVersion,
  updateItem,
  updateVersion,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { refusal } from './case.ts'
import { openWorld, schema, type World } from './collections.ts'

describe.each(databases)('on $name', (database) => {
  let engine: Engine<World>
  let opened: OpenDatabase
  beforeEach(async () => {
    ;({ engine, opened } = await openWorld(database))
  })

  const hashNow = async () => (await compareVersion(engine, 'articles', 1, 'draft')).mainHash
  const promote = async (fields?: ('title' | 'views' | 'comments')[]) =>
    promoteVersion(engine, 'articles', 1, 'draft', { mainHash: await hashNow(), fields })

  it('a version is created without changes', async () => {
    const made = await createVersion(engine, 'articles', 1, { key: 'draft', name: 'A draft' })
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: 'draft',
      name: 'A draft',
      collection: 'articles',
      item: '1',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      delta: null,
      date_created: '2024-03-01T12:00:00.000Z',
      date_updated: null,
      user_created: null,
      user_updated: null,
    })
  })

  it('each verb answers what its query asks for', async () => {
    const short = { fields: ['key', 'delta'], alias: { called: 'name' } } as const
    const at = ['articles', 1, 'draft'] as const
    const made = await createVersion(
      engine,
      'articles',
      1,
      { key: 'draft', name: 'A', delta: { title: 'B', pin: '7' } },
      { ...short, fields: ['key', 'called', 'delta'] },
    )
    expect(made).toEqual({ key: 'draft', called: 'A', delta: { title: 'B', pin: '**********' } })
    expect(await saveVersion(engine, ...at, { views: 2 }, { fields: ['delta'] })).toEqual({
      delta: { title: 'B', pin: '**********', views: 2 },
    })
    expect(await updateVersion(engine, ...at, { name: 'C' }, { fields: ['name'] })).toEqual({ name: 'C' })
    const promotion = { mainHash: await hashNow(), fields: ['title' as const] }
    const shape = { fields: ['title', 'heading', 'author.name'], alias: { heading: 'title' } } as const
    const { title, author, ...rest } = await promoteVersion(engine, ...at, promotion, shape)
    expect({ title, author, ...rest }).toEqual({
      title: 'B',
      heading: 'B',
      author: { name: expect.any(String) },
    })
  })

  it('the versions of an item are listed as a query asks, and no others', async () => {
    for (const key of ['b', 'a', 'c']) await createVersion(engine, 'articles', 1, { key })
    await createVersion(engine, 'articles', 2, { key: 'd' })
    const list = (query: Parameters<typeof listVersions>[3]) => listVersions(engine, 'articles', 1, query)
    expect(await list({ fields: ['key'], filter: { key: { _gte: 'b' } }, sort: '-key' })).toEqual([
      { key: 'c' },
      { key: 'b' },
    ])
    expect(await list({ fields: ['key'], filter: { _or: [{ item: '2' }, { key: 'a' }] } })).toEqual([
      { key: 'a' },
    ])
    expect(await list({ fields: ['key'], limit: 1, offset: 1 })).toEqual([{ key: 'b' }])
    expect((await list({})).map(({ key }) => key)).toEqual(['a', 'b', 'c'])
  })

  it('a query that is wrong keeps a version from being written', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft' })
    const mainHash = await hashNow()
    const wrong = { fields: ['nope'] } as const
    const tries = [
      () => createVersion(engine, 'articles', 1, { key: 'other' }, wrong),
      () => saveVersion(engine, 'articles', 1, 'draft', { title: 'B' }, wrong),
      () => updateVersion(engine, 'articles', 1, 'draft', { key: 'other' }, wrong),
      () => promoteVersion(engine, 'articles', 1, 'draft', { mainHash }, wrong as object),
    ]
    for (const attempt of tries) expect(await refusal(attempt)).toMatchObject({ code: 'FORBIDDEN' })
    expect(await listVersions(engine, 'articles', 1, { fields: ['key', 'delta'] })).toEqual([
      { key: 'draft', delta: null },
    ])
    const grouped = { groupBy: ['key'] } as object
    expect(await refusal(() => listVersions(engine, 'articles', 1, grouped))).toMatchObject({
      code: 'INVALID_QUERY',
    })
  })

  it('saving merges field by field, and replaces what a relation held', async () => {
    await createVersion(engine, 'articles', 1, {
      key: 'draft',
      delta: { title: 'A', comments: { delete: [1] } },
    })
    const saved = await saveVersion(engine, 'articles', 1, 'draft', { views: 3, comments: { delete: [2] } })
    expect(saved.delta).toEqual({ title: 'A', views: 3, comments: { delete: [2] } })
    expect(saved.date_updated).toBe('2024-03-01T12:00:00.000Z')
  })

  it('a version is called otherwise, and holds what it held', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'A' } })
    const named = await updateVersion(engine, 'articles', 1, 'draft', { name: 'For spring' })
    expect(named).toMatchObject({ key: 'draft', name: 'For spring', delta: { title: 'A' } })
    const moved = await updateVersion(engine, 'articles', 1, 'draft', { key: 'spring' })
    expect(moved).toMatchObject({ key: 'spring', name: 'For spring', delta: { title: 'A' } })
    expect(await updateVersion(engine, 'articles', 1, 'spring', { key: 'spring', name: null })).toMatchObject(
      { key: 'spring', name: null },
    )
    expect(await refusal(() => updateVersion(engine, 'articles', 1, 'draft', { name: 'x' }))).toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it.each([
    [{ key: 'main' }, 'INVALID_PAYLOAD', ['key']],
    [{ key: ' a' }, 'INVALID_PAYLOAD', ['key']],
    [{ key: 'b' }, 'RECORD_NOT_UNIQUE', ['key']],
    [{ delta: {} }, 'INVALID_PAYLOAD', ['delta']],
    [{ hash: 'x' }, 'INVALID_PAYLOAD', ['hash']],
    [{ name: { first: 'x' } }, 'FAILED_VALIDATION', ['name']],
    [[], 'INVALID_PAYLOAD', undefined],
  ] as const)('no version is called %j', async (names, code, path) => {
    await createVersion(engine, 'articles', 1, { key: 'a' })
    await createVersion(engine, 'articles', 1, { key: 'b' })
    await createVersion(engine, 'articles', 2, { key: 'c' })
    const given = names as { key: string }
    const wrong = await refusal(() => updateVersion(engine, 'articles', 1, 'a', given))
    expect(wrong).toMatchObject({ code, ...(path && { path }) })
    expect((await listVersions(engine, 'articles', 1)).map(({ key }) => key)).toEqual(['a', 'b'])
  })

  it('two who save at once keep what each has changed', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft' })
    await Promise.all([
      saveVersion(engine, 'articles', 1, 'draft', { title: 'A' }),
      saveVersion(engine, 'articles', 1, 'draft', { views: 3 }),
    ])
    const [version] = await listVersions(engine, 'articles', 1)
    expect(version?.delta).toEqual({ title: 'A', views: 3 })
  })

  it('what JSON has no word for is kept in the form of answers', async () => {
    const delta = {
      at: new Date('2024-06-01T10:00:00Z'),
      big: 9_007_199_254_740_993n,
      day: new Date('2024-06-01'),
    }
    const made = await createVersion(engine, 'articles', 1, { key: 'draft', delta })
    expect(made.delta).toEqual({
      at: '2024-06-01T10:00:00.000Z',
      big: '9007199254740993',
      day: '2024-06-01T00:00:00.000Z',
    })
    const read = await getItem(engine, 'articles', 1, { version: 'draft', fields: ['at', 'big', 'day'] })
    expect(read).toEqual({ at: '2024-06-01T10:00:00.000Z', big: '9007199254740993', day: '2024-06-01' })
  })

  it('what is concealed is found by no other way into a version', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: { pin: '1234' } })
    const ways = [
      { fields: ['d'], alias: { d: 'delta' } },
      { fields: ['json(delta, pin)'] },
      { fields: ['id'], filter: { delta: { _json: { pin: '1234' } } } },
      { fields: ['id'], sort: ['json(delta, pin)'] },
    ]
    for (const way of ways)
      await expect(listVersions(engine, 'articles', 1, way as object)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
    expect(await listVersions(engine, 'articles', 1, { fields: ['delta'] })).toEqual([
      { delta: { pin: '**********' } },
    ])
  })

  it('what is concealed is kept, sent back by a form and promoted without being shown', async () => {
    const mask = '**********'
    await createVersion(engine, 'articles', 1, {
      key: 'draft',
      delta: { pin: '9', author: { name: 'New', pin: '8' } },
    })
    const { delta } = await saveVersion(engine, 'articles', 1, 'draft', { pin: mask, views: 1 })
    expect(delta).toEqual({ pin: mask, author: { name: 'New', pin: mask }, views: 1 })
    expect((await compareVersion(engine, 'articles', 1, 'draft')).current).toEqual({ ...delta, id: 1 })
    await promote()
    const pinOf = (table: string, name: string) =>
      opened.db.selectFrom(table).select('pin').where(name, 'in', ['Tea', 'New']).execute()
    expect(await pinOf('articles', 'title')).toEqual([{ pin: '9' }])
    expect(await pinOf('authors', 'name')).toEqual([{ pin: '8' }])
  })

  const nameless = [undefined, null, 5, {}, '', 'a\u0000b', 'a\ud800'] as unknown as string[]
  it.each(nameless)('what cannot be the key of a version names none: %j', async (key) => {
    await createVersion(engine, 'articles', 1, { key: 'draft' })
    const missing = { code: 'NOT_FOUND', path: ['version'] }
    expect(await refusal(() => saveVersion(engine, 'articles', 1, key, { title: 'x' }))).toEqual(missing)
    expect(await refusal(() => updateVersion(engine, 'articles', 1, key, { name: 'x' }))).toEqual(missing)
    expect(await refusal(() => compareVersion(engine, 'articles', 1, key))).toEqual(missing)
    expect(await refusal(() => promoteVersion(engine, 'articles', 1, key, { mainHash: '' }))).toEqual(missing)
    expect(await refusal(() => deleteVersion(engine, 'articles', 1, key))).toEqual(missing)
    expect(await refusal(() => createVersion(engine, 'articles', 1, { key }))).toEqual({
      code: 'INVALID_PAYLOAD',
      path: ['key'],
    })
    expect(await listVersions(engine, 'articles', 1)).toMatchObject([
      { key: 'draft', name: null, delta: null },
    ])
  })

  it('a version has no key that is too long to be read by', async () => {
    const path = ['key']
    const create = (key: string) => createVersion(engine, 'articles', 1, { key })
    expect(await refusal(() => create('é'.repeat(128)))).toEqual({ code: 'INVALID_PAYLOAD', path })
    const { key: version } = await create('é'.repeat(127))
    expect(await getItem(engine, 'articles', 1, { version, fields: ['id'] })).toEqual({ id: 1 })
  })

  it('a promotion without anything said of it is refused', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'x' } })
    for (const given of [undefined, null, 5] as unknown as { mainHash: string }[])
      expect(await refusal(() => promoteVersion(engine, 'articles', 1, 'draft', given))).toEqual({
        code: 'INVALID_PAYLOAD',
        path: ['mainHash'],
      })
  })

  it('a deleted version is gone, and the item stays', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'A' } })
    await deleteVersion(engine, 'articles', 1, 'draft')
    expect(await listVersions(engine, 'articles', 1)).toEqual([])
    expect(await getItem(engine, 'articles', 1, { fields: ['title'] })).toEqual({ title: 'Tea' })
  })

  it('a version is compared with its item', async () => {
    const { hash } = await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'A' } })
    const before = await compareVersion(engine, 'articles', 1, 'draft')
    expect(before).toMatchObject({ outdated: false, mainHash: hash, current: { id: 1, title: 'A' } })
    expect(before.main).toEqual(await getItem(engine, 'articles', 1))
    await updateItem(engine, 'articles', 1, { views: 11 })
    const after = await compareVersion(engine, 'articles', 1, 'draft')
    expect(after.outdated).toBe(true)
    expect(after.mainHash).not.toBe(hash)
  })

  it('a new child makes a version outdated, a changed one does not', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft' })
    await updateItem(engine, 'comments', 1, { text: 'changed' })
    expect((await compareVersion(engine, 'articles', 1, 'draft')).outdated).toBe(false)
    await createItem(engine, 'comments', { text: 'new', article: 1 })
    expect((await compareVersion(engine, 'articles', 1, 'draft')).outdated).toBe(true)
  })

  it('the hash is the same wherever the item is stored', async () => {
    const { hash } = await createVersion(engine, 'articles', 1, { key: 'draft' })
    expect(hash).toBe('8878021915a792d2513ea58b1c7e9769d4ec2aa7e6e2f30944f3e590429156a0')
  })

  it('promoting makes the item what the version says, and keeps the version', async () => {
    await createVersion(engine, 'articles', 1, {
      key: 'draft',
      delta: { title: 'Green', comments: { create: [{ text: 'new' }] } },
    })
    const before = await listVersions(engine, 'articles', 1)
    const item = await promote()
    expect(item).toMatchObject({ id: 1, title: 'Green', views: 10, status: 'published' })
    expect(item.comments).toHaveLength(4)
    expect(await getItem(engine, 'articles', 1)).toEqual(item)
    expect(await listVersions(engine, 'articles', 1)).toEqual(before)
    expect((await compareVersion(engine, 'articles', 1, 'draft')).outdated).toBe(true)
  })

  it('fields limit what is promoted', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'Green', views: 3 } })
    expect(await promote(['views'])).toMatchObject({ title: 'Tea', views: 3 })
  })

  it('of two promotions at once one succeeds, and the other is told the new hash', async () => {
    await createVersion(engine, 'articles', 1, {
      key: 'draft',
      delta: { comments: { create: [{ text: 'new' }] } },
    })
    const mainHash = await hashNow()
    const once = () => promoteVersion(engine, 'articles', 1, 'draft', { mainHash })
    const outcomes = await Promise.allSettled([once(), once(), once()])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const now = await hashNow()
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          code: 'VERSION_HASH_MISMATCH',
          status: 422,
          extensions: { mainHash: now },
        })
    const { comments } = await getItem(engine, 'articles', 1, { fields: ['comments'] })
    expect(comments).toHaveLength(4)
  })

  it('promoting again with the new hash does again what the version says', async () => {
    await createVersion(engine, 'articles', 1, {
      key: 'draft',
      delta: { comments: { create: [{ text: 'new' }] } },
    })
    await promote()
    expect((await promote()).comments).toHaveLength(5)
  })

  it('promoting is an update: what it does not pass is refused, and nothing is changed', async () => {
    await createVersion(engine, 'articles', 1, {
      key: 'draft',
      delta: { title: '', author: { born: '1900-01-01' } },
    })
    const refused = await promote().catch((error) => error)
    expect(refused.errors.map(({ code, path }: { code: string; path: unknown }) => ({ code, path }))).toEqual(
      [
        { code: 'FAILED_VALIDATION', path: ['title'] },
        { code: 'FAILED_VALIDATION', path: ['author', 'name'] },
      ],
    )
    expect(await getItem(engine, 'articles', 1, { fields: ['title', 'author'] })).toEqual({
      title: 'Tea',
      author: 1,
    })
  })

  it('handlers are asked before a promotion, and told after it', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'Green' } })
    const seen: unknown[] = []
    const note = ({ event, keys, payload }: { event: string; keys: unknown; payload: unknown }) => {
      seen.push([event, keys, payload])
    }
    engine.on('items.promote', 'articles', ({ payload }) => ({ ...payload, views: 1 }), { when: 'before' })
    for (const event of ['items.promote', 'items.update'] as const) {
      engine.on(event, 'articles', note, { when: 'before' })
      engine.on(event, 'articles', note, { when: 'after' })
    }
    expect(await promote()).toMatchObject({ title: 'Green', views: 1 })
    const payload = { title: 'Green', views: 1 }
    expect(seen).toEqual([
      ['items.promote', [1], payload],
      ['items.update', [1], payload],
      ['items.update', [1], payload],
      ['items.promote', [1], payload],
    ])
  })

  it('a handler refuses a promotion by throwing', async () => {
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'Green' } })
    const refuse = () => {
      throw new Error('not today')
    }
    engine.on('items.promote', 'articles', refuse, { when: 'before' })
    await expect(promote()).rejects.toThrow('not today')
    expect(await getItem(engine, 'articles', 1, { fields: ['title'] })).toEqual({ title: 'Tea' })
  })

  it('nobody is asked when a version is read', async () => {
    await createVersion(engine, 'articles', 1, {
      key: 'draft',
      delta: { comments: { create: [{ text: 'new' }] } },
    })
    const asked: string[] = []
    for (const event of ['items.create', 'items.update', 'items.delete'] as const)
      engine.on(event, ({ event: name }) => void asked.push(name), { when: 'before' })
    await getItem(engine, 'articles', 1, { version: 'draft', fields: ['comments.*'] })
    expect(asked).toEqual([])
  })

  it('a version outlives what it was made of', async () => {
    const delta = { comments: { update: [{ id: 1, text: 'better' }], delete: [2] } }
    await createVersion(engine, 'articles', 1, { key: 'draft', delta })
    await opened.db.deleteFrom('comments').where('id', 'in', [1, 2]).execute()
    const read = await getItem(engine, 'articles', 1, { version: 'draft', fields: ['comments.text'] })
    expect(read).toEqual({ comments: [{ text: 'fine' }] })
  })

  it('a schema may describe the collection of the versions itself', async () => {
    const text = { type: 'string' } as const
    const own = defineSchema({
      ...schema.definition,
      history: {
        table: 'history_rows',
        fields: {
          id: { type: 'uuid', key: true },
          key: { ...text, column: 'version_key' },
          name: { ...text, nullable: true },
          collection: text,
          item: text,
          hash: text,
          delta: { type: 'json', nullable: true },
          date_created: { type: 'timestamp' },
          date_updated: { type: 'timestamp', nullable: true },
          user_created: { ...text, nullable: true },
          user_updated: { ...text, nullable: true },
        },
      },
    })
    const other = createEngine({ db: opened.db, schema: own, versions: { collection: 'history' } })
    await other.install()
    await createVersion(other, 'articles', 1, { key: 'draft' })
    await saveVersion(other, 'articles', 1, 'draft', { title: 'Green' })
    expect(await getItem(other, 'articles', 1, { version: 'draft', fields: ['title'] })).toEqual({
      title: 'Green',
    })
    const rows = await opened.db.selectFrom('history_rows').select('version_key').execute()
    expect(rows).toEqual([{ version_key: 'draft' }])
  })

  const refused: Readonly<
    Record<string, readonly [work: (e: Engine<World>) => Promise<unknown>, expected: object]>
  > = {
    'a second version of the same key': [
      async (e) => {
        await createVersion(e, 'articles', 1, { key: 'draft' })
        return createVersion(e, 'articles', 1, { key: 'draft' })
      },
      { code: 'RECORD_NOT_UNIQUE', path: ['key'] },
    ],
    'a second version of the same key at once': [
      (e) =>
        Promise.all([
          createVersion(e, 'articles', 1, { key: 'draft' }),
          createVersion(e, 'articles', 1, { key: 'draft' }),
        ]),
      { code: 'RECORD_NOT_UNIQUE', path: ['key'] },
    ],
    'the reserved key': [
      (e) => createVersion(e, 'articles', 1, { key: 'main' }),
      { code: 'INVALID_PAYLOAD', path: ['key'] },
    ],
    'an empty key': [
      (e) => createVersion(e, 'articles', 1, { key: '' }),
      { code: 'INVALID_PAYLOAD', path: ['key'] },
    ],
    'a version of an unknown item': [
      (e) => createVersion(e, 'articles', 77, { key: 'draft' }),
      { code: 'NOT_FOUND' },
    ],
    'a list of versions of an unknown item': [(e) => listVersions(e, 'articles', 77), { code: 'NOT_FOUND' }],
    'a version in a collection without versions': [
      (e) => createVersion(e, 'authors', 1, { key: 'draft' }),
      { code: 'NOT_FOUND' },
    ],
    'reading a version in a collection without versions': [
      (e) => getItem(e, 'authors', 1, { version: 'draft' }),
      { code: 'NOT_FOUND' },
    ],
    'reading a version of an unknown item': [
      (e) => getItem(e, 'articles', 77, { version: 'draft' }),
      { code: 'NOT_FOUND', path: ['version'] },
    ],
    'raw without a version': [
      (e) => getItem(e, 'articles', 1, { versionRaw: true }),
      { code: 'INVALID_QUERY', path: ['versionRaw'] },
    ],
    'saving in an unknown version': [
      (e) => saveVersion(e, 'articles', 1, 'draft', { title: 'x' }),
      { code: 'NOT_FOUND', path: ['version'] },
    ],
    'comparing an unknown version': [
      (e) => compareVersion(e, 'articles', 1, 'draft'),
      { code: 'NOT_FOUND', path: ['version'] },
    ],
    'promoting an unknown version': [
      (e) => promoteVersion(e, 'articles', 1, 'draft', { mainHash: '' }),
      { code: 'NOT_FOUND', path: ['version'] },
    ],
    'deleting an unknown version': [
      (e) => deleteVersion(e, 'articles', 1, 'draft'),
      { code: 'NOT_FOUND', path: ['version'] },
    ],
    'an unknown field': [
      (e) => createVersion(e, 'articles', 1, { key: 'draft', delta: { titel: 'x' } as object }),
      { code: 'FORBIDDEN', path: ['delta', 'titel'] },
    ],
    'a value of the wrong type, however deep': [
      (e) =>
        createVersion(e, 'articles', 1, {
          key: 'draft',
          // What a form might send.
          delta: { comments: { create: [{ writer: { born: 'soon' } }] } } as object,
        }),
      { code: 'FAILED_VALIDATION', path: ['delta', 'comments', 'create', 0, 'writer', 'born'] },
    ],
    'a secret that is kept as a hash': [
      (e) => createVersion(e, 'articles', 1, { key: 'draft', delta: { author: { id: 1, token: 'secret' } } }),
      { code: 'INVALID_PAYLOAD', path: ['delta', 'author', 'token'] },
    ],
    'a delta that holds itself': [
      (e) => {
        const author: Record<string, unknown> = { id: 1 }
        author.articles = [{ id: 1, author }]
        return createVersion(e, 'articles', 1, { key: 'draft', delta: { author } })
      },
      { code: 'INVALID_PAYLOAD', path: ['delta', 'author', 'articles', 0, 'author'] },
    ],
    'another key of the item': [
      (e) => createVersion(e, 'articles', 1, { key: 'draft', delta: { id: 2 } }),
      { code: 'INVALID_PAYLOAD', path: ['delta', 'id'] },
    ],
    'a promotion of nothing': [
      async (e) => {
        await createVersion(e, 'articles', 1, { key: 'draft' })
        const { mainHash } = await compareVersion(e, 'articles', 1, 'draft')
        return promoteVersion(e, 'articles', 1, 'draft', { mainHash })
      },
      { code: 'INVALID_PAYLOAD' },
    ],
    'a promotion with another hash': [
      async (e) => {
        await createVersion(e, 'articles', 1, { key: 'draft', delta: { title: 'x' } })
        return promoteVersion(e, 'articles', 1, 'draft', { mainHash: 'x' })
      },
      { code: 'VERSION_HASH_MISMATCH' },
    ],
    'a promotion of an unknown field': [
      (e) => promoteVersion(e, 'articles', 1, 'draft', { mainHash: '', fields: ['titel' as 'title'] }),
      { code: 'FORBIDDEN', path: ['fields', 0] },
    ],
  }
  it.each(Object.entries(refused))('%s is refused', async (_, [work, expected]) => {
    expect(await refusal(() => work(engine))).toEqual(expected)
  })
})
