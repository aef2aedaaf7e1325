// Versions are reached by their own verbs and routes alone, also where the schema describes their table, relations to it and all.
import { beforeAll, describe, expect, it } from 'vitest'
import { exportItems } from '../../src/export.ts'
import { createHandler, describeApi } from '../../src/http.ts'
import {
  type Access,
  compareVersion,
  compileFilter,
  createEngine,
  createItem,
  createItems,
  createVersion,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  type EngineError,
  explainItems,
  getItem,
  listItems,
  listItemsJson,
  listVersions,
  matchesFilter,
  promoteVersion,
  type Schema,
  saveVersion,
  streamItems,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { databases, insert, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { many, maybeOne, number, text } from '../support/fields.ts'

const id = { type: 'integer', key: true } as const
const needed = { type: 'string' } as const

const versionFields = {
  id: { type: 'uuid', key: true, special: ['uuid'] },
  key: needed,
  name: text,
  collection: needed,
  item: needed,
  hash: needed,
  delta: { type: 'json', nullable: true },
  date_created: { type: 'timestamp', special: ['date-created'] },
  date_updated: { type: 'timestamp', nullable: true, special: ['date-updated'] },
  user_created: { type: 'm2o', to: 'people', nullable: true, special: ['user-created'] },
  user_updated: { type: 'm2o', to: 'people', nullable: true, special: ['user-updated'] },
} as const

const plain = {
  people: { fields: { id, name: text } },
  notes: { versioned: true, fields: { id, title: text, owner: number, approved: text } },
  links: { fields: { id, kind: text } },
} as const

/** Every kind of relation leads to versions, and one leads back. */
const described = {
  people: { fields: { ...plain.people.fields, drafts: many('versions.user_created') } },
  notes: { ...plain.notes, fields: { ...plain.notes.fields, latest: maybeOne('versions') } },
  links: {
    fields: {
      ...plain.links.fields,
      item: { type: 'any', to: ['versions', 'people'], by: 'kind', nullable: true },
    },
  },
  versions: { fields: versionFields },
} as const

/** Everything is allowed, but the notes of others are not there. */
const rules: NonNullable<Access<Schema>['rules']> = {
  people: { read: true, create: true, update: true },
  notes: {
    read: { filter: { owner: '$CURRENT_USER' } },
    create: true,
    update: { fields: ['title', 'owner', 'latest'] },
    delete: true,
  },
  links: { read: true, create: true, update: true },
  versions: { read: true, create: true, update: true, delete: true },
}

async function openWorld({ open }: TestDatabase) {
  const opened = await open()
  const schema = defineSchema(described) as unknown as Schema
  const engine = createEngine({ db: opened.db, schema })
  const { db } = opened
  const tables = {
    people: ['name varchar(255)'],
    notes: ['title varchar(255)', 'owner integer', 'approved varchar(255)', 'latest varchar(36)'],
    links: ['kind varchar(255)', 'item varchar(255)'],
  }
  for (const [name, columns] of Object.entries(tables)) {
    const begun = db.schema.createTable(name).addColumn('id', 'integer', (column) => column.primaryKey())
    await columns
      .reduce((table, column) => {
        const [field = '', type = ''] = column.split(' ')
        return table.addColumn(field, type as 'integer')
      }, begun)
      .execute()
  }
  await engine.install()
  await insert(db, 'people', [
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Bo' },
  ])
  await insert(db, 'notes', [
    { id: 1, title: 'one', owner: 1 },
    { id: 2, title: 'two', owner: 2 },
  ])
  const [ada, bo] = [1, 2].map((user) => engine.as({ user, rules })) as [Engine<Schema>, Engine<Schema>]
  await createVersion(bo, 'notes', 2, { key: 'draft', delta: { title: 'secret' } })
  await createVersion(ada, 'notes', 1, { key: 'draft', delta: { title: 'own' } })
  const [hidden] = await listVersions(engine, 'notes', 2)
  await db.updateTable('notes').set({ latest: hidden?.id }).where('id', '=', 1).execute()
  await db.insertInto('links').values({ id: 1, kind: 'versions', item: hidden?.id }).execute()
  return { opened, engine, ada, hidden: hidden?.id ?? '' }
}

const drained = async (items: AsyncIterable<unknown>) => {
  const all: unknown[] = []
  for await (const item of items) all.push(item)
  return all
}

interface World {
  readonly opened: OpenDatabase
  readonly engine: Engine<Schema>
  readonly ada: Engine<Schema>
  readonly hidden: string
}
type Door = (world: World) => unknown

/** The verbs of items, each at the collection that holds versions. */
const verbs: Readonly<Record<string, Door>> = {
  listItems: ({ ada }) => listItems(ada, 'versions'),
  listItemsJson: ({ ada }) => listItemsJson(ada, 'versions'),
  'listItems with a search': ({ ada }) => listItems(ada, 'versions', { search: 'secret' }),
  'listItems with an aggregate': ({ ada }) => listItems(ada, 'versions', { aggregate: { max: 'hash' } }),
  streamItems: ({ ada }) => drained(streamItems(ada, 'versions')),
  exportItems: ({ ada }) => exportItems(ada, 'versions', {}, 'json'),
  explainItems: ({ ada }) => explainItems(ada, 'versions', {}),
  getItem: ({ ada, hidden }) => getItem(ada, 'versions', hidden),
  createItem: ({ ada }) => createItem(ada, 'versions', forged),
  createItems: ({ ada }) => createItems(ada, 'versions', [forged]),
  updateItem: ({ ada, hidden }) => updateItem(ada, 'versions', hidden, { delta: { approved: 'yes' } }),
  updateItems: ({ ada, hidden }) => updateItems(ada, 'versions', [hidden], { delta: { approved: 'yes' } }),
  'updateItems with partial items': ({ ada, hidden }) =>
    updateItems(ada, 'versions', [{ id: hidden, delta: { approved: 'yes' } }]),
  updateByQuery: ({ ada }) => updateByQuery(ada, 'versions', { filter: { item: '2' } }, { name: 'x' }),
  deleteItem: ({ ada, hidden }) => deleteItem(ada, 'versions', hidden),
  deleteItems: ({ ada, hidden }) => deleteItems(ada, 'versions', [hidden]),
  deleteByQuery: ({ ada }) => deleteByQuery(ada, 'versions', { filter: { item: '2' } }),
  compileFilter: ({ ada }) => compileFilter(ada, 'versions', { item: '2' }),
  matchesFilter: ({ ada }) => matchesFilter(ada, 'versions', { item: '2' }, { item: '2' }),
}

const forged = { key: 'x', collection: 'notes', item: '2', hash: 'x', delta: { approved: 'yes' } }

/** Names inside a query or a payload that would lead to versions. */
const names: Readonly<Record<string, Door>> = {
  'fields through a list': ({ ada }) => listItems(ada, 'people', { fields: ['drafts.delta'] }),
  'fields through a key': ({ ada }) => listItems(ada, 'notes', { fields: ['latest.delta'] }),
  'fields through a reference to any collection': ({ ada }) =>
    listItems(ada, 'links', { fields: ['item:versions.delta'] }),
  'a filter through a list': ({ ada }) => listItems(ada, 'people', { filter: { drafts: { item: '2' } } }),
  'a filter through a key': ({ ada }) => listItems(ada, 'notes', { filter: { latest: { item: '2' } } }),
  'a filter through any': ({ ada }) =>
    listItems(ada, 'links', { filter: { 'item:versions': { item: '2' } } }),
  $FOLLOW: ({ ada }) =>
    listItems(ada, 'people', { filter: { '$FOLLOW(versions,user_created)': { item: '2' } } }),
  'a sort through a key': ({ ada }) => listItems(ada, 'notes', { sort: ['latest.name'] }),
  'a sort through a list': ({ ada }) => listItems(ada, 'people', { sort: ['drafts.name'] }),
  'a count of a list': ({ ada }) => listItems(ada, 'people', { fields: ['count(drafts)'] }),
  'a group through a key': ({ ada }) => listItems(ada, 'notes', { groupBy: ['latest.name'] }),
  deep: ({ ada }) => listItems(ada, 'people', { deep: { drafts: { _limit: 1 } } }),
  'a nested creation': ({ ada }) => updateItem(ada, 'people', 1, { drafts: { create: [forged] } }),
  'a nested update': ({ ada, hidden }) =>
    updateItem(ada, 'people', 1, { drafts: { update: [{ id: hidden, name: 'x' }] } }),
  'a nested deletion': ({ ada, hidden }) => updateItem(ada, 'people', 2, { drafts: { delete: [hidden] } }),
  'a complete set': ({ ada }) => updateItem(ada, 'people', 2, { drafts: [] }),
}

describe.each(databases)('on $name', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })

  const codeOf = async (door: Door) => {
    try {
      await door(world)
      return 'it was let in'
    } catch (error) {
      return (error as EngineError).code
    }
  }

  it.each(Object.entries(verbs))('%s let callers with rules at versions', async (_, door) => {
    expect(await codeOf(door)).toBe('NOT_FOUND')
  })

  it.each(Object.entries(names))('%s led callers with rules to versions', async (_, door) => {
    expect(await codeOf(door)).toBe('FORBIDDEN')
  })

  it('a reference to a version is a value like any other, and nothing can be nested in it', async () => {
    const { ada, hidden } = world
    expect(await listItems(ada, 'notes', { fields: ['*.*'] })).toEqual({
      data: [{ id: 1, title: 'one', owner: 1, approved: null, latest: hidden }],
    })
    const made = await createItem(ada, 'notes', { id: 9, owner: 1, latest: hidden }, { fields: ['latest'] })
    expect(made).toEqual({ latest: hidden })
    const nested = { latest: { id: hidden, delta: { approved: 'yes' } } }
    expect(await codeOf(() => createItem(ada, 'notes', { owner: 1, ...nested }))).toBe('FAILED_VALIDATION')
    await deleteByQuery(ada, 'notes', { filter: { id: { _neq: 1 } } })
  })

  it('nor is anything nested in a reference to any collection', async () => {
    const item = { item: { id: world.hidden, delta: { approved: 'yes' } }, kind: 'versions' }
    expect(await codeOf(({ ada }) => createItem(ada, 'links', item))).toBe('INVALID_PAYLOAD')
  })

  it('a delta leads to no version either', async () => {
    const { ada, hidden } = world
    const latest = { id: hidden, name: 'x' }
    expect(await codeOf(() => saveVersion(ada, 'notes', 1, 'draft', { latest }))).toBe('FAILED_VALIDATION')
  })

  it('no rules for versions are needed to be refused alike', async () => {
    const { versions: _versions, ...others } = rules
    const { engine } = world
    const stranger = engine.as({ user: 1, rules: others })
    const told = (who: Engine<Schema>, door: (ada: Engine<Schema>) => Promise<unknown>) =>
      door(who).catch(({ code, message, hint }: EngineError) => ({ code, message, hint }))
    for (const door of [
      (who: Engine<Schema>) => listItems(who, 'versions'),
      (who: Engine<Schema>) => createItem(who, 'versions', forged),
      (who: Engine<Schema>) => listItems(who, 'people', { filter: { '$FOLLOW(version,user)': {} } }),
    ])
      expect(await told(world.ada, door)).toEqual(await told(stranger, door))
  })

  it('the verbs and routes of versions answer whoever sees the item', async () => {
    const { ada, engine } = world
    expect((await listVersions(ada, 'notes', 1)).map(({ delta }) => delta)).toEqual([{ title: 'own' }])
    expect(await codeOf(() => listVersions(ada, 'notes', 2))).toBe('NOT_FOUND')
    const handler = createHandler(engine, {
      authenticate: (token) => (token === 'admin' ? { admin: true } : { user: 1, rules }),
    })
    const ask = async (path: string, token = 'ada') => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await handler(new Request(`http://localhost${path}`, { headers }))
      return { status: answer.status, body: JSON.parse(await answer.text()) }
    }
    const seen = await ask('/versions?fields=item,user_created.name')
    expect(seen.body).toEqual({ data: [{ item: '1', user_created: { name: 'Ada' } }] })
    for (const path of ['/items/versions', `/items/versions/${world.hidden}`])
      expect(await ask(path)).toMatchObject({ status: 404 })
    for (const query of [
      'fields=user_created.drafts.name',
      'filter={"user_created":{"$FOLLOW(versions,user_created)":{"item":"2"}}}',
      'filter={"user_created":{"drafts":{"item":"2"}}}',
    ])
      expect(await ask(`/versions?${query}`)).toMatchObject({ status: 403 })
    expect((await ask('/items/versions?fields=item&sort=item', 'admin')).body).toEqual({
      data: [{ item: '1' }, { item: '2' }],
    })
  })

  it('a description for somebody with rules shows versions at their own paths alone', () => {
    const paths = (engine: Engine<Schema>) =>
      Object.keys(describeApi(engine).paths).filter((path) => path.includes('versions'))
    expect(paths(world.ada)).not.toEqual([])
    expect(paths(world.ada).filter((path) => path.startsWith('/items'))).toEqual([])
    expect(paths(world.engine).filter((path) => path.startsWith('/items'))).not.toEqual([])
  })

  it('a table of versions is one under whichever name the schema describes it', async () => {
    const { opened } = world
    const { id, key, delta } = versionFields
    const history = { table: 'VERSIONS', fields: { id, key, delta } }
    const schema = defineSchema({ ...plain, history }) as unknown as Schema
    const engine = createEngine({
      db: opened.db,
      schema,
      versions: { collection: 'drafts', table: 'versions' },
    })
    const mine = engine.as({
      rules: { notes: { read: true }, history: { read: true }, drafts: { read: true } },
    })
    expect(await codeOf(() => listItems(mine, 'history'))).toBe('NOT_FOUND')
    expect((await listVersions(mine, 'notes', 1)).map(({ key }) => key)).toEqual(['draft'])
  })

  it('where nothing has versions, a collection of that name is one like any other', async () => {
    const schema = defineSchema({ versions: { fields: { id: versionFields.id, key: needed } } })
    const engine = createEngine({ db: world.opened.db, schema })
    const mine = engine.as({ rules: { versions: { read: true } } })
    expect(await listItems(mine, 'versions', { fields: ['key'] })).toEqual({
      data: [{ key: 'draft' }, { key: 'draft' }],
    })
  })

  it('what was put into a delta from outside is judged on promotion as if the promoter had written it', async () => {
    const { ada, engine, opened } = world
    const [own] = await listVersions(engine, 'notes', 1)
    const delta = { title: 'fine', approved: 'yes', latest: null }
    await updateItem(engine, 'versions', own?.id ?? '', { delta })
    const { mainHash, current } = await compareVersion(ada, 'notes', 1, 'draft')
    expect(current).toEqual({ id: 1, ...delta })
    expect(await codeOf(() => promoteVersion(ada, 'notes', 1, 'draft', { mainHash }))).toBe('FORBIDDEN')
    const moved = { title: 'fine', owner: 2 }
    await updateItem(engine, 'versions', own?.id ?? '', { delta: moved })
    const stays = { ...rules, notes: { ...rules.notes, update: { validation: { owner: '$CURRENT_USER' } } } }
    const bound = engine.as({ user: 1, rules: stays })
    expect(await codeOf(() => promoteVersion(bound, 'notes', 1, 'draft', { mainHash }))).toBe(
      'FAILED_VALIDATION',
    )
    expect(
      await opened.db.selectFrom('notes').select(['title', 'owner']).where('id', '=', 1).execute(),
    ).toEqual([{ title: 'one', owner: 1 }])
  })
})
