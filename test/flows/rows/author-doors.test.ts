// The author of a row is who wrote its definition: whoever only touches the row lends it nothing, whatever the door.
import { sql } from 'kysely'
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

const key = { type: 'integer', key: true } as const
const number = { type: 'integer', nullable: true } as const
const schema = defineSchema({
  notes: { fields: { id: key, text: { type: 'string' } } },
  folders: {
    fields: {
      id: key,
      title: { type: 'string', nullable: true },
      flows: { type: 'o2m', from: 'flows.folder', sort: 'sort' },
    },
  },
  others: {
    fields: { id: key, name: { type: 'string' }, trigger: { type: 'json' }, operations: { type: 'json' } },
  },
  flows: {
    versioned: true,
    fields: {
      id: key,
      name: { type: 'string' },
      trigger: { type: 'json' },
      operations: { type: 'json' },
      access: { type: 'string', nullable: true },
      first: { type: 'string', nullable: true },
      active: { type: 'boolean', nullable: true },
      place: number,
      code: number,
      sort: number,
      folder: { type: 'm2o', to: 'folders', nullable: true },
      author: number,
    },
  },
})
type World = Engine<typeof schema>

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
      await sql.raw(`create table ${table}`).execute(opened.db)
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
    boss = engine.as(admin as never)
    flows = createFlows(engine, {
      flows: [
        collectionFlows('flows', settings),
        collectionFlows('others', { access: ['nobody'], collections: ['notes'], operations: [] }),
      ],
      access: rightsOf,
    })
    await flows.start()
  })
  afterAll(async () => {
    await flows.stop()
    await opened.close()
  })
  beforeEach(async () => {
    for (const table of ['flows', 'folders', 'others', 'versions'])
      await sql.raw(`delete from ${table}`).execute(opened.db)
    // The first row that is written ends the flows of those that are gone.
    await createItem(engine, 'flows', { id: 4, ...definition, name: 'of eight', author: 8 } as never)
    await createItem(engine, 'folders', { id: 5 })
    await createItem(engine, 'flows', { id: 3, ...definition, code: 33, folder: 5, author: 7 } as never)
  })
  const authorOf = async (id: number) =>
    (await getItem(engine, 'flows', id as never, { fields: ['author'] }))?.author
  const http = (method: string, path: string, body: unknown) =>
    createHandler(engine, { authenticate: () => admin })(
      new Request(`http://localhost${path}`, {
        method,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    )
  const graphql = async (query: string, data: unknown) => {
    const handler = createGraphQLHandler(engine, { authenticate: () => admin })
    const response = await handler(
      new Request('http://localhost/graphql', {
        method: 'POST',
        body: JSON.stringify({ query, variables: { data } }),
        headers: { 'content-type': 'application/json' },
      }),
    )
    expect(await response.json()).not.toHaveProperty('errors')
  }
  /** Returns a door: a version that one has written, promoted by another. */
  const promoteOf = (writer: World) => async (delta: object) => {
    await createVersion(writer, 'flows', 3 as never, { key: 'draft', delta: delta as never })
    const { mainHash } = await compareVersion(boss, 'flows', 3 as never, 'draft')
    await promoteVersion(boss, 'flows', 3 as never, 'draft', { mainHash })
  }

  /** Doors by which a row is written, each with what it writes. */
  const doors: Readonly<Record<string, (data: object) => Promise<unknown>>> = {
    'by its key': (data) => updateItem(boss, 'flows', 3 as never, data as never),
    'by keys': (data) => updateItems(boss, 'flows', [3] as never, data as never),
    'by a query': (data) =>
      updateByQuery(boss, 'flows', { filter: { id: { _eq: 3 } } } as never, data as never),
    'as one of a list': (data) => updateEach(boss, 'flows', [{ id: 3, ...data }] as never),
    'by an upsert': (data) => upsertItem(boss, 'flows', { id: 3, ...definition, ...data } as never),
    'by an upsert on another field': (data) =>
      upsertItem(boss, 'flows', { ...definition, ...data, code: 33 } as never, {}, { on: ['code'] }),
    'by upserts': (data) => upsertItems(boss, 'flows', [{ id: 3, ...definition, ...data }] as never),
    'inside of its folder': (data) =>
      updateItem(boss, 'folders', 5 as never, { flows: { update: [{ id: 3, ...data }] } } as never),
    'in the whole list of its folder': (data) =>
      updateItem(boss, 'folders', 5 as never, { flows: [{ id: 3, ...data }] } as never),
    'over HTTP': (data) => http('PATCH', '/items/flows/3', data),
    'over HTTP by a list': (data) => http('PATCH', '/items/flows', [{ id: 3, ...data }]),
    'in GraphQL': (data) =>
      graphql('mutation ($data: update_flows_input!) { update_flows_item(id: 3, data: $data) { id } }', data),
    'by a version': (data) => promoteOf(boss)(data),
  }
  const touches = {
    'its place': { place: 9 },
    'its name, sent back': { name: 'of seven', place: 8 },
    'all of it, sent back': { ...definition, ...reordered, author: 7, place: 7 },
  }

  describe.each(Object.entries(doors))('a row that is written %s', (_door, write) => {
    it.each(Object.entries(touches))('keeps its author with %s', async (_, data) => {
      await write(data)
      expect(await authorOf(3)).toBe(7)
      expect((await getItem(engine, 'flows', 3 as never, { fields: ['place'] }))?.place).toBe(data.place)
    })
    it('has another author with another definition', async () => {
      await write({ name: 'of another' })
      expect(await authorOf(3)).toBe(1)
      expect(await authorOf(4)).toBe(8)
    })
  })

  it('a row that is moved, unlinked, numbered, switched or updated by SQL keeps its author', async () => {
    await updateItem(boss, 'flows', 4 as never, { folder: 5 } as never)
    await updateItem(boss, 'flows', 4 as never, { active: false } as never)
    await updateItem(boss, 'folders', 5 as never, { flows: [4, 3] } as never)
    await updateItem(boss, 'folders', 5 as never, { flows: { delete: [], update: [], create: [] } } as never)
    await updateItem(boss, 'folders', 5 as never, { flows: [] } as never)
    await sql.raw('update flows set place = 4 where id = 4').execute(opened.db)
    expect([await authorOf(3), await authorOf(4)]).toEqual([7, 8])
  })

  it('of several rows those whose definition changes have another author', async () => {
    await updateByQuery(
      boss,
      'flows',
      { filter: { id: { _in: [3, 4] } } } as never,
      { name: 'of seven' } as never,
    )
    expect([await authorOf(3), await authorOf(4)]).toEqual([7, 1])
  })

  it('nobody gives the rights of another, in no door', async () => {
    for (const write of Object.values(doors)) {
      await Promise.resolve(write({ author: 8 })).catch(() => undefined)
      expect(await authorOf(3)).toBe(7)
      await sql.raw('delete from versions').execute(opened.db)
    }
  })

  it('no row puts its definition into what others write of flows, in no door', async () => {
    const json = { place: 6, name: 'of nine', operations: other, first: 'd' }
    const operations = { t: { type: 'transform', options: { json } } }
    const trigger = { on: ['items.update', 'items.create'], when: 'before', returns: 't' }
    const nine = engine.as({ user: 9, rules: { flows: written } } as never)
    const inject = { access: 'author', first: 't', operations }
    for (const [id, collections] of [['flows'], ['others']].entries()) {
      const row = {
        id: 10 + id,
        name: `into ${collections}`,
        ...inject,
        trigger: { ...trigger, collections },
      }
      await createItem(nine as never, 'flows', row as never)
    }
    for (const write of Object.values(doors)) {
      await write({ place: 9 })
      const row = await getItem(engine, 'flows', 3 as never, { fields: ['author', 'name', 'place'] })
      expect(row).toEqual({ author: 7, name: 'of seven', place: 9 })
      await sql.raw('delete from versions').execute(opened.db)
    }
    await createItem(boss, 'flows', { id: 12, ...definition, name: 'of one' } as never)
    expect(await getItem(engine, 'flows', 12 as never, { fields: ['name', 'author'] })).toEqual({
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
      createFlows(many as never, { flows: [collectionFlows(collection, limits as never)], access: rightsOf })
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
    await createItem(many, 'others', { id: 1, name: 'of one', trigger: {}, operations: {} } as never)
    await createItem(many, 'flows', { id: 13, name: 'into others', author: 9, ...row } as never)
    const write = () => updateItem(many.as(admin as never), 'others', 1 as never, { name: 'of two' } as never)
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
    const two = engine.as({ admin: true, user: 2 } as never)
    await createItem(two as never, 'flows', { ...row, ...put({ title: 'mine', flows: list }) } as never)
    const refused = { code: 'FORBIDDEN', message: expect.stringMatching(/may not write "flows"/) }
    await expect(createItem(boss, 'folders', { id: 6, title: '' })).rejects.toMatchObject(refused)
    await expect(updateItem(boss, 'folders', 5 as never, { title: '' } as never)).rejects.toMatchObject(
      refused,
    )
    await updateItem(two as never, 'flows', 20 as never, put({ title: 'mine', flows: [3] }) as never)
    expect(await updateItem(boss, 'folders', 5 as never, { title: '' } as never)).toMatchObject({
      title: 'mine',
    })
    await expect(authorOf(30)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await authorOf(3)).toBe(7)
  })

  it('the guard has the last word after hooks that came later, and after its flows are stopped', async () => {
    const late = createEngine({ db: opened.db, schema })
    const stopped = createFlows(late as never, {
      flows: [collectionFlows('flows', settings)],
      access: rightsOf,
    })
    await stopped.start()
    const write = (data: object) =>
      updateItem(
        late.as({ user: 8, rules: { flows: written } } as never) as never,
        'flows',
        3 as never,
        data as never,
      )
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
    await updateItem(late.as(admin as never), 'flows', 3 as never, { operations: other } as never)
    expect(await authorOf(3)).toBe(1)
  })

  it('a row refuses what others write of flows', async () => {
    const filter = { $trigger: { payload: { place: { _neq: 13 } } } }
    const operations = { c: { type: 'condition', options: { filter } } }
    const trigger = { on: 'items.update', collections: ['flows'], when: 'before' }
    await updateItem(engine, 'flows', 4 as never, { trigger, operations, author: 8 } as never)
    await expect(updateItem(boss, 'flows', 3 as never, { place: 13 } as never)).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
    })
  })

  it('a row without an author does not run until its definition is saved, and "check" lists it', async () => {
    await sql.raw('update flows set author = null where id = 3').execute(opened.db)
    const [found, ...others] = await flows.check()
    expect(others).toEqual([])
    expect(found).toMatchObject({ name: 'of seven', state: 'disabled', problems: [{ path: ['author'] }] })
    await updateItem(boss, 'flows', 3 as never, { name: 'of seven', place: 2 } as never)
    expect(await authorOf(3)).toBeNull()
    const seven = engine.as({ user: 7, rules: { flows: { read: true, update: true } } } as never)
    await updateItem(seven as never, 'flows', 3 as never, { ...definition, author: null } as never)
    expect(await authorOf(3)).toBe(7)
    expect(await flows.check()).toEqual([])
  })

  it('nobody takes over a row without an author by naming one, in no door', async () => {
    await sql.raw('update flows set author = null where id = 3').execute(opened.db)
    const seven = engine.as({ user: 7, rules: { flows: written, versions: written } } as never)
    for (const [door, write] of Object.entries({ ...doors, 'by a version of another': promoteOf(seven) })) {
      // An upsert has all of the definition.
      if (door.includes('upsert')) continue
      for (const data of [
        { place: 9, author: 1 },
        { name: 'of seven', author: 1 },
      ]) {
        await Promise.resolve(write(data)).catch(() => undefined)
        expect([door, await authorOf(3)]).toEqual([door, null])
        await sql.raw('delete from versions').execute(opened.db)
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
    const nobody = engine.as(access as never) as World
    const row = { ...definition, name: 'of nobody' }
    for (const write of [
      () => createItem(nobody, 'flows', { id: 14, ...row } as never),
      () => upsertItem(nobody, 'flows', { id: 15, ...row } as never),
      () => createItem(nobody, 'flows', { id: 16, ...row, author: 7 } as never),
      () => updateItem(nobody, 'flows', 3 as never, { name: 'of nobody' } as never),
      () => updateItems(nobody, 'flows', [3, 4] as never, { operations: other } as never),
      () => upsertItem(nobody, 'flows', { id: 3, ...row } as never),
    ])
      await expect(write()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await updateItem(nobody, 'flows', 3 as never, { name: 'of seven', place: 2 } as never)
    expect([await authorOf(3), await authorOf(4)]).toEqual([7, 8])
  })

  it('a definition that the host changes without saying whose it is has no author', async () => {
    await updateItem(engine, 'flows', 3 as never, { place: 1, ...definition } as never)
    expect(await authorOf(3)).toBe(7)
    await updateItem(engine, 'flows', 3 as never, { operations: other, first: 'd' } as never)
    expect(await authorOf(3)).toBeNull()
    await updateItem(engine, 'flows', 3 as never, { name: 'of nine', author: 9 } as never)
    expect(await authorOf(3)).toBe(9)
  })

  it('of two definitions that are written at once the author is that of the one that stays', async () => {
    const eight = engine.as({ user: 8, rules: { flows: { read: true, update: true } } } as never)
    const writes = [{ operations: definition.operations }, { operations: other }, { name: 'of seven' }]
    for (let at = 0; at < 6; at++) {
      await updateItem(engine, 'flows', 3 as never, { ...definition, author: 7 } as never)
      await Promise.all([
        updateItem(boss, 'flows', 3 as never, writes[at % 3] as never),
        updateItem(
          eight as never,
          'flows',
          3 as never,
          { operations: { ...other, ...definition.operations } } as never,
        ),
      ])
      const row = await getItem(engine, 'flows', 3 as never, { fields: ['operations', 'author'] })
      expect([at, Object.keys(Object(row?.operations)).length, row?.author]).toEqual(
        Object.keys(Object(row?.operations)).length === 2 ? [at, 2, 8] : [at, 1, 1],
      )
    }
  })

  it.each([{ author: '$CURRENT_USER' }, { name: 'of eight' }, { operations: other }])(
    'rules do not preset %j',
    async (presets) => {
      const preset = { update: { fields: ['place'], presets }, read: true }
      const one = engine.as({ user: 8, rules: { flows: preset } } as never)
      await expect(
        updateItem(one as never, 'flows', 3 as never, { place: 1 } as never),
      ).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
      })
    },
  )

  describe('the field of the author is none', () => {
    const { fields } = schema.definition.flows
    const folders = schema.definition.folders.fields
    const people = { key: ['tenant', 'no'], fields: { tenant: { type: 'integer' }, no: { type: 'integer' } } }
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
        { users: { fields: { id: key, mine: { type: 'o2m', from: 'flows.author' } } } },
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
        /"name" of "flows" is made of/,
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
      createFlows(createEngine({ db: opened.db, schema: loose }) as never, {
        flows: [collectionFlows('flows', settings)],
      })
    }
  })
})
