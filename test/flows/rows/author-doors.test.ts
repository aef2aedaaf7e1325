// The author of a row is who wrote its definition: whoever only touches the row lends it nothing, whatever the door.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { collectionFlows, createFlows, type Flows } from '../../../src/flows.ts'
import { createGraphQLHandler } from '../../../src/graphql.ts'
import { createHandler } from '../../../src/http.ts'
import {
  type Access,
  compareVersion,
  createEngine,
  createItem,
  createVersion,
  defineSchema,
  type Engine,
  getItem,
  promoteVersion,
  updateByQuery,
  updateEach,
  updateItem,
  updateItems,
  upsertItem,
  upsertItems,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { integer, many, maybeOne, string, text } from '../../support/fields.ts'
import { requestOf } from '../../support/request-of.ts'

const key = { type: 'integer', key: true } as const
const number = { type: 'integer', nullable: true } as const
const schema = defineSchema({
  notes: { fields: { id: key, text: string } },
  folders: { fields: { id: key, title: text, flows: { type: 'o2m', from: 'flows.folder', sort: 'sort' } } },
  others: { fields: { id: key, name: string, trigger: { type: 'json' }, operations: { type: 'json' } } },
  flows: {
    versioned: true,
    fields: {
      id: key,
      name: string,
      trigger: { type: 'json' },
      operations: { type: 'json' },
      access: text,
      first: text,
      active: { type: 'boolean', nullable: true },
      place: number,
      code: number,
      sort: number,
      folder: maybeOne('folders'),
      author: number,
    },
  },
})
type World = Engine
type Data = Readonly<Record<string, unknown>>

const settings = {
  access: ['author'],
  author: 'author',
  collections: ['notes', 'flows', 'others', 'folders'],
  operations: ['condition', 'throw-error', 'transform'],
} as const
const written = { read: true, create: true, update: true } as const
const admin: Access = { admin: true, user: 1 }
const rightsOf = (_: string, { user }: { readonly user: string | number | null }): Access => {
  const rules = { notes: { read: true }, flows: written, others: written, folders: written } as const
  return user === 2 ? { admin: true, user } : { user: user as number, rules }
}
/** Says with whose rights it works. */
const definition = {
  name: 'of seven',
  trigger: { on: 'items.create', collections: ['notes'], when: 'before' },
  operations: {
    c: { type: 'condition', options: { filter: { $trigger: { payload: { text: { _ncontains: 'x' } } } } } },
  },
  access: 'author',
  first: 'c',
}
/** The same, and another text of it. */
const reordered = {
  first: 'c',
  operations: {
    c: { options: { filter: { $trigger: { payload: { text: { _ncontains: 'x' } } } } }, type: 'condition' },
  },
  trigger: { when: 'before', collections: ['notes'], on: 'items.create' },
}
const other = { d: { type: 'throw-error', options: {} } }

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: World
  let flows: Flows
  let boss: World
  beforeAll(async () => {
    opened = await open()
    const [id, json] = name === 'sqlite' ? ['integer primary key', 'text'] : ['serial primary key', 'jsonb']
    for (const table of [
      `notes (id ${id}, text text)`,
      `folders (id ${id}, title text)`,
      `others (id ${id}, name text, "trigger" ${json}, operations ${json})`,
      `flows (id ${id}, name text, "trigger" ${json}, operations ${json}, access text, first text, active boolean, place integer, code integer unique, sort integer, folder integer, author integer)`,
    ])
      await opened.run(`create table ${table}`)
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
    boss = engine.as(admin)
    flows = createFlows(engine, {
      flows: [
        collectionFlows('flows', settings),
        collectionFlows('others', { access: ['nobody'], collections: ['notes'], operations: [] }),
      ],
      access: rightsOf,
    })
    await flows.start()
  })
  afterAll(() => flows.stop())
  beforeEach(async () => {
    for (const table of ['flows', 'folders', 'others', 'versions']) await opened.run(`delete from ${table}`)
    // The first row that is written ends the flows of those that are gone.
    await createItem(engine, 'flows', { id: 4, ...definition, name: 'of eight', author: 8 })
    await createItem(engine, 'folders', { id: 5 })
    await createItem(engine, 'flows', { id: 3, ...definition, code: 33, folder: 5, author: 7 })
  })
  const rowOf = (id: number, fields: string[]) => getItem(engine, 'flows', id, { fields })
  const authorOf = async (id: number) => Object(await rowOf(id, ['author'])).author
  const http = (method: string, path: string, body: unknown) =>
    createHandler(engine, { authenticate: () => admin })(requestOf(method, path, body))
  const graphql = async (query: string, data: unknown) => {
    const handler = createGraphQLHandler(engine, { authenticate: () => admin })
    const response = await handler(requestOf('POST', '/graphql', { query, variables: { data } }))
    expect(await response.json()).not.toHaveProperty('errors')
  }
  /** Returns a door: a version that one has written, promoted by another. */
  const promoteOf = (writer: World) => async (delta: Data) => {
    await createVersion(writer, 'flows', 3, { key: 'draft', delta: delta })
    const { mainHash } = await compareVersion(boss, 'flows', 3, 'draft')
    await promoteVersion(boss, 'flows', 3, 'draft', { mainHash })
  }

  /** Doors by which a row is written, each with what it writes. */
  const doors: Readonly<Record<string, (data: Data) => Promise<unknown>>> = {
    'by its key': (data) => updateItem(boss, 'flows', 3, data),
    'by keys': (data) => updateItems(boss, 'flows', [3], data),
    'by a query': (data) => updateByQuery(boss, 'flows', { filter: { id: { _eq: 3 } } }, data),
    'as one of a list': (data) => updateEach(boss, 'flows', [{ id: 3, ...data }]),
    'by an upsert': (data) => upsertItem(boss, 'flows', { id: 3, ...definition, ...data }),
    'by an upsert on another field': (data) =>
      upsertItem(boss, 'flows', { ...definition, ...data, code: 33 }, {}, { on: ['code'] }),
    'by upserts': (data) => upsertItems(boss, 'flows', [{ id: 3, ...definition, ...data }]),
    'inside of its folder': (data) =>
      updateItem(boss, 'folders', 5, { flows: { update: [{ id: 3, ...data }] } }),
    'in the whole list of its folder': (data) =>
      updateItem(boss, 'folders', 5, { flows: [{ id: 3, ...data }] }),
    'over HTTP': (data) => http('PATCH', '/items/flows/3', data),
    'over HTTP by a list': (data) => http('PATCH', '/items/flows', [{ id: 3, ...data }]),
    'in GraphQL': (data) =>
      graphql('mutation ($data: update_flows_input!) { update_flows_item(id: 3, data: $data) { id } }', data),
    'by a version': (data) => promoteOf(boss)(data),
  }
  const touches = [
    { place: 9 },
    { name: 'of seven', place: 8 },
    { ...definition, ...reordered, author: 7, place: 7 },
  ]

  it.each(Object.entries(doors))(
    'a row that is written %s has another author with another definition alone',
    async (_, write) => {
      for (const data of touches) {
        await write(data)
        expect(await rowOf(3, ['author', 'place'])).toEqual({ author: 7, place: data.place })
        await opened.run('delete from versions')
      }
      await write({ name: 'of another' })
      expect([await authorOf(3), await authorOf(4)]).toEqual([1, 8])
    },
  )

  it('who changes a part of a definition is its author, and who sends it as it is leaves the author', async () => {
    const { operations, trigger } = definition
    await updateItem(boss, 'flows', 3, { operations: { $value: operations }, trigger: { $value: trigger } })
    expect(await authorOf(3)).toBe(7)
    for (const part of [{ _merge: { d: null } }, { _set: { 'c.type': 'condition' } }]) {
      await updateItem(engine, 'flows', 3, { author: 7 })
      await updateItem(boss, 'flows', 3, { operations: part })
      expect(await authorOf(3)).toBe(1)
      expect(await rowOf(3, ['operations'])).toEqual({ operations })
    }
  })

  it('a row that is moved, unlinked, numbered, switched or updated by SQL keeps its author', async () => {
    await updateItem(boss, 'flows', 4, { folder: 5 })
    await updateItem(boss, 'flows', 4, { active: false })
    await updateItem(boss, 'folders', 5, { flows: [4, 3] })
    await updateItem(boss, 'folders', 5, { flows: { delete: [], update: [], create: [] } })
    await updateItem(boss, 'folders', 5, { flows: [] })
    await opened.run('update flows set place = 4 where id = 4')
    expect([await authorOf(3), await authorOf(4)]).toEqual([7, 8])
  })

  it('of several rows those whose definition changes have another author', async () => {
    await updateByQuery(boss, 'flows', { filter: { id: { _in: [3, 4] } } }, { name: 'of seven' })
    expect([await authorOf(3), await authorOf(4)]).toEqual([7, 1])
  })

  it('nobody gives the rights of another, in no door', async () => {
    for (const write of Object.values(doors)) {
      await Promise.resolve(write({ author: 8 })).catch(() => undefined)
      expect(await authorOf(3)).toBe(7)
      await opened.run('delete from versions')
    }
  })

  it('no row puts its definition into what others write of flows, in no door', async () => {
    const json = { place: 6, name: 'of nine', operations: other, first: 'd' }
    const operations = { t: { type: 'transform', options: { json } } }
    const trigger = { on: ['items.update', 'items.create'], when: 'before', returns: 't' }
    const nine = engine.as({ user: 9, rules: { flows: written } })
    const inject = { access: 'author', first: 't', operations }
    for (const [id, collections] of [['flows'], ['others']].entries()) {
      const row = {
        id: 10 + id,
        name: `into ${collections}`,
        ...inject,
        trigger: { ...trigger, collections },
      }
      await createItem(nine, 'flows', row)
    }
    for (const write of Object.values(doors)) {
      await write({ place: 9 })
      const row = await getItem(engine, 'flows', 3, { fields: ['author', 'name', 'place'] })
      expect(row).toEqual({ author: 7, name: 'of seven', place: 9 })
      await opened.run('delete from versions')
    }
    await createItem(boss, 'flows', { id: 12, ...definition, name: 'of one' })
    expect(await getItem(engine, 'flows', 12, { fields: ['name', 'author'] })).toEqual({
      name: 'of one',
      author: 1,
    })
    const state = { state: 'disabled', problems: [{ path: ['trigger', 'returns'] }] }
    expect(await flows.check()).toMatchObject([
      { name: 'into flows', ...state },
      { name: 'into others', ...state },
    ])
  })

  it('no row puts its definition into flows of another call, whichever comes first', async () => {
    const many = createEngine({ db: opened.db, schema })
    const call = (collection: string, limits: object) =>
      createFlows(many, { flows: [collectionFlows(collection, limits as never)], access: rightsOf })
    const first = call('flows', settings)
    await first.start()
    const json = { name: 'of nine', operations: other }
    const trigger = { on: 'items.update', collections: ['others'], when: 'before', returns: 't' }
    const row = {
      access: 'author',
      first: 't',
      operations: { t: { type: 'transform', options: { json } } },
      trigger,
    }
    await createItem(many, 'others', { id: 1, name: 'of one', trigger: {}, operations: {} })
    await createItem(many, 'flows', { id: 13, name: 'into others', author: 9, ...row })
    const write = () => updateItem(many.as(admin), 'others', 1, { name: 'of two' })
    expect(await write()).toMatchObject({ name: 'of nine' })
    const second = call('others', { access: ['nobody'], collections: ['notes'], operations: [] })
    await second.start()
    await expect(write()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const state = { name: 'into others', problems: [{ path: ['trigger', 'returns'] }] }
    expect(await first.check()).toMatchObject([state])
    await first.stop()
    await second.stop()
  })

  it.each<[string, unknown]>([
    ['a list', [{ id: 30, ...definition, name: 'of two' }]],
    ['what is created', { create: [{ id: 30, ...definition, name: 'of two' }], update: [], delete: [] }],
    ['what is updated', { create: [], update: [{ id: 3, name: 'of two' }], delete: [] }],
  ])('no row of an admin puts its definition into a folder of another, in %s', async (_, list) => {
    const put = (json: object) => ({ operations: { t: { type: 'transform', options: { json } } } })
    const trigger = {
      on: ['items.create', 'items.update'],
      collections: ['folders'],
      when: 'before',
      returns: 't',
    }
    const row = { id: 20, name: 'into folders', access: 'author', first: 't', trigger }
    const two = engine.as({ admin: true, user: 2 })
    await createItem(two, 'flows', { ...row, ...put({ title: 'mine', flows: list }) })
    const refused = { code: 'FORBIDDEN', message: expect.stringMatching(/may not write "flows"/) }
    await expect(createItem(boss, 'folders', { id: 6, title: '' })).rejects.toMatchObject(refused)
    await expect(updateItem(boss, 'folders', 5, { title: '' })).rejects.toMatchObject(refused)
    await updateItem(two, 'flows', 20, put({ title: 'mine', flows: [3] }))
    expect(await updateItem(boss, 'folders', 5, { title: '' })).toMatchObject({
      title: 'mine',
    })
    await expect(authorOf(30)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await authorOf(3)).toBe(7)
  })

  it('the guard has the last word after hooks that came later, and after its flows are stopped', async () => {
    const late = createEngine({ db: opened.db, schema })
    const stopped = createFlows(late, {
      flows: [collectionFlows('flows', settings)],
      access: rightsOf,
    })
    await stopped.start()
    const write = (data: Data) =>
      updateItem(late.as({ user: 8, rules: { flows: written } }), 'flows', 3, data)
    const hook = (more: object) =>
      late.on('items.update', 'flows', ({ payload }) => ({ ...payload, ...more }), { when: 'before' })
    const end = hook({ author: 1 })
    await expect(write({ place: 1 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    end()
    hook({ name: 'late' })
    await write({ place: 1 })
    expect(await authorOf(3)).toBe(8)
    await stopped.stop()
    await expect(write({ author: 1 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await updateItem(late.as(admin), 'flows', 3, { operations: other })
    expect(await authorOf(3)).toBe(1)
  })

  it('a row refuses what others write of flows', async () => {
    const filter = { $trigger: { payload: { place: { _neq: 13 } } } }
    const operations = { c: { type: 'condition', options: { filter } } }
    const trigger = { on: 'items.update', collections: ['flows'], when: 'before' }
    await updateItem(engine, 'flows', 4, { trigger, operations, author: 8 })
    await expect(updateItem(boss, 'flows', 3, { place: 13 })).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
    })
  })

  it('a row without an author does not run until its definition is saved, and "check" lists it', async () => {
    await opened.run('update flows set author = null where id = 3')
    const [found, ...others] = await flows.check()
    expect(others).toEqual([])
    expect(found).toMatchObject({ name: 'of seven', state: 'disabled', problems: [{ path: ['author'] }] })
    await updateItem(boss, 'flows', 3, { name: 'of seven', place: 2 })
    expect(await authorOf(3)).toBeNull()
    const seven = engine.as({ user: 7, rules: { flows: { read: true, update: true } } })
    await updateItem(seven, 'flows', 3, { ...definition, author: null })
    expect(await authorOf(3)).toBe(7)
    expect(await flows.check()).toEqual([])
  })

  it('nobody takes over a row without an author by naming one, in no door', async () => {
    await opened.run('update flows set author = null where id = 3')
    const seven = engine.as({ user: 7, rules: { flows: written, versions: written } })
    for (const [door, write] of Object.entries({ ...doors, 'by a version of another': promoteOf(seven) })) {
      // An upsert has all of the definition.
      if (door.includes('upsert')) continue
      for (const data of [
        { place: 9, author: 1 },
        { name: 'of seven', author: 1 },
      ]) {
        await Promise.resolve(write(data)).catch(() => undefined)
        expect([door, await authorOf(3)]).toEqual([door, null])
        await opened.run('delete from versions')
      }
    }
    await doors['by its key']?.({ ...definition, author: 1 })
    expect(await authorOf(3)).toBe(1)
  })

  it.each<[string, Access]>([
    ['without a user', { role: 'x', rules: { flows: written } }],
    ['whose user is null', { user: null, rules: { flows: written } }],
    ['who is an admin whose user is null', { user: null, admin: true }],
  ])('a caller %s writes no definition, and may move a row', async (_, access) => {
    const nobody = engine.as(access) as World
    const row = { ...definition, name: 'of nobody' }
    for (const write of [
      () => createItem(nobody, 'flows', { id: 14, ...row }),
      () => upsertItem(nobody, 'flows', { id: 15, ...row }),
      () => createItem(nobody, 'flows', { id: 16, ...row, author: 7 }),
      () => updateItem(nobody, 'flows', 3, { name: 'of nobody' }),
      () => updateItems(nobody, 'flows', [3, 4], { operations: other }),
      () => upsertItem(nobody, 'flows', { id: 3, ...row }),
    ])
      await expect(write()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await updateItem(nobody, 'flows', 3, { name: 'of seven', place: 2 })
    expect([await authorOf(3), await authorOf(4)]).toEqual([7, 8])
  })

  it('a definition that the host changes without saying whose it is has no author', async () => {
    await updateItem(engine, 'flows', 3, { place: 1, ...definition })
    expect(await authorOf(3)).toBe(7)
    await updateItem(engine, 'flows', 3, { operations: other, first: 'd' })
    expect(await authorOf(3)).toBeNull()
    await updateItem(engine, 'flows', 3, { name: 'of nine', author: 9 })
    expect(await authorOf(3)).toBe(9)
  })

  it('of two definitions that are written at once the author is that of the one that stays', async () => {
    const eight = engine.as({ user: 8, rules: { flows: { read: true, update: true } } })
    const writes = [{ operations: definition.operations }, { operations: other }, { name: 'of seven' }]
    for (let at = 0; at < 6; at++) {
      await updateItem(engine, 'flows', 3, { ...definition, author: 7 })
      await Promise.all([
        updateItem(boss, 'flows', 3, writes[at % 3] as Data),
        updateItem(eight, 'flows', 3, { operations: { ...other, ...definition.operations } }),
      ])
      const row = await getItem(engine, 'flows', 3, { fields: ['operations', 'author'] })
      expect([at, Object.keys(Object(row?.operations)).length, row?.author]).toEqual(
        Object.keys(Object(row?.operations)).length === 2 ? [at, 2, 8] : [at, 1, 1],
      )
    }
  })

  it.each([{ author: '$CURRENT_USER' }, { name: 'of eight' }, { operations: other }])(
    'rules do not preset %j',
    async (presets) => {
      const preset = { update: { fields: ['place'], presets }, read: true }
      const one = engine.as({ user: 8, rules: { flows: preset } })
      await expect(updateItem(one, 'flows', 3, { place: 1 })).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
      })
    },
  )
})

describe.each(databases)('on $name the field of the author is none', ({ open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
  })
  const { fields } = schema.definition.flows
  const folders = schema.definition.folders.fields
  const people = { key: ['tenant', 'no'], fields: { tenant: integer, no: integer } }
  const person = { type: 'm2o', to: 'people', by: ['place', 'author'] }
  const relation = { type: 'm2o', to: 'users', nullable: true }
  const byAccess = { type: 'any', to: ['notes'], by: 'access', nullable: true }
  const twin = (names: string[], made = {}) => {
    const all: Readonly<Record<string, object>> = fields
    return {
      table: 'flows',
      fields: {
        id: key,
        place: number,
        ...Object.fromEntries(names.map((one) => [one, { ...all[one], ...made }])),
      },
    }
  }
  const any = { type: 'any', to: ['notes'], by: 'author', nullable: true }
  it.each<[string, RegExp, object, object?]>([
    ['that updates fill in', /filled in at each/, { author: { ...number, special: ['user-updated'] } }],
    ['that creations fill in', /filled in at each/, { author: { ...number, special: ['user-created'] } }],
    ['that the schema fills in', /has a default/, { author: { ...number, default: 1 } }],
    ['that the database fills in', /has a default/, { author: { ...number, defaulted: true } }],
    ['that nobody writes', /cannot say who/, { author: { ...number, readonly: true } }],
    ['that is a part of a relation', /written by "person" of "flows"/, { person }],
    ['that says whereto a relation leads', /written by "it" of/, { author: { type: 'string' }, it: any }],
    [
      'to which a relation to many leads',
      /written by "mine" of "users"/,
      { author: relation },
      { users: { fields: { id: key, mine: many('flows.author') } } },
    ],
    [
      'that numbers the items of a relation to many',
      /written by "flows" of "folders"/,
      {},
      { folders: { fields: { ...folders, flows: { ...folders.flows, sort: 'author' } } } },
    ],
    ['beside a part of a relation', /"access" of "flows" is written by "it"/, { it: byAccess }],
    [
      'beside what others make',
      /"name" of "flows" is computed from/,
      { name: { type: 'string', generated: true } },
    ],
    ['of another collection, too', /written by "author" of "again"/, {}, { again: twin(['author']) }],
    ['beside what another one has', /written by "first" of "again"/, {}, { again: twin(['first']) }],
    ['of one in a schema', /"again"/, {}, { again: { ...twin(['name']), table: 'Flows', dbSchema: 'x' } }],
  ])('%s', (_, message, some, others = {}) => {
    expect(() => create(some, others)).toThrow(message)
  })
  it('refused where another collection only reads it', () => {
    const all = Object.keys(fields).filter((one) => one !== 'id' && one !== 'folder')
    expect(() => create({}, { again: twin(all, { generated: true }) })).not.toThrow()
  })
  const create = (some: object, others: object) => {
    const users = { fields: { id: key } }
    const flows = { fields: { ...fields, ...some } }
    const loose = defineSchema({ ...schema.definition, people, users, ...others, flows } as never)
    createFlows(createEngine({ db: opened.db, schema: loose }), {
      flows: [collectionFlows('flows', settings)],
    })
  }
})
