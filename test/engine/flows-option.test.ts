// The collections of flows: an engine with the option has them, reads them like any other, and lets no verb write them.
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import { exportItems } from '../../src/export.ts'
import { answerGraphQL, printGraphQLSchema } from '../../src/graphql.ts'
import { createHandler, describeApi } from '../../src/http.ts'
import {
  createEngine,
  createItem,
  createItems,
  createVersion,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  getItem,
  listItems,
  runDefinitions,
  type Schema,
  streamItems,
  updateByQuery,
  updateEach,
  updateItem,
  updateItems,
  updateSingleton,
  upsertItem,
  upsertItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase, sqlite } from '../support/databases.ts'
import { key, many, maybeOne, string } from '../support/fields.ts'
import { rowsOf } from '../support/titled.ts'

const id = '00000000-0000-4000-8000-000000000001'
const other = '00000000-0000-4000-8000-000000000002'
const at = 1_700_000_000_123
const run = {
  id,
  flow: 'welcome',
  definition: 'abc',
  state: 'ready',
  trigger: '{"key":1}',
  access: 'full',
  due: at,
  token: 0,
  deaths: 0,
  attempt: 1,
  depth: 0,
  created: at,
}
const step = { run: id, operation: 'read', status: 'resolved', attempt: 1, started: at, ended: at }

const plain = defineSchema({ tags: { fields: { id: key, name: string } } })

/** A schema that describes the collections itself, and has relations to them. */
const related = defineSchema({
  ...runDefinitions,
  quernel_runs: {
    versioned: true,
    fields: { ...runDefinitions.quernel_runs.fields, orders: many('orders.run'), cause: maybeOne('orders') },
  },
  orders: {
    fields: {
      id: key,
      run: maybeOne('quernel_runs'),
      notes: many('notes.order'),
      caused: many('quernel_runs.cause'),
    },
  },
  notes: { fields: { id: key, order: maybeOne('orders') } },
})

const written = { code: 'FORBIDDEN', message: '"quernel_runs" is written by flows only.' }

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  beforeEach(async () => {
    opened = await open()
  })

  const insert = (table: string, ...rows: readonly object[]) =>
    opened.db.insertInto(table).values(rows).execute()
  const withRows = async () => {
    const engine = createEngine({ db: opened.db, schema: plain, flows: {} })
    await engine.install()
    await insert('quernel_runs', run, { ...run, id: other, flow: 'other', state: 'failed', ended: at })
    await insert('quernel_steps', { ...step, number: 1 }, { ...step, number: 2 })
    return engine
  }
  const withOrders = async () => {
    const type = name === 'postgres' ? 'uuid' : 'varchar(36)'
    await opened.run(`create table orders (id integer primary key, run ${type})`)
    await opened.run('create table notes (id integer primary key, "order" integer)')
    const engine = createEngine({ db: opened.db, schema: related, flows: {} })
    await engine.install()
    await insert('quernel_runs', run)
    await insert('orders', { id: 1 })
    return engine
  }

  describe('are read', () => {
    it('by lists, with times as timestamps and steps in their order', async () => {
      const engine = await withRows()
      const { data } = await listItems(engine, 'quernel_runs', {
        fields: ['number', 'flow', 'trigger', 'due', 'ended', 'steps.number', 'steps.status'],
        filter: { due: { _lte: '2023-11-14T22:13:20.123Z' } },
        sort: ['number'],
      })
      expect(data).toEqual([
        {
          number: 1,
          flow: 'welcome',
          trigger: { key: 1 },
          due: '2023-11-14T22:13:20.123Z',
          ended: null,
          steps: [
            { number: 1, status: 'resolved' },
            { number: 2, status: 'resolved' },
          ],
        },
        {
          number: 2,
          flow: 'other',
          trigger: { key: 1 },
          due: '2023-11-14T22:13:20.123Z',
          ended: '2023-11-14T22:13:20.123Z',
          steps: [],
        },
      ])
    })

    it('by key, by streams, exports, GraphQL and over HTTP', async () => {
      const engine = await withRows()
      expect(await getItem(engine, 'quernel_runs', id, { fields: ['flow'] })).toEqual({ flow: 'welcome' })
      const streamed: unknown[] = []
      for await (const item of streamItems(engine, 'quernel_steps', { fields: ['run', 'number'] }))
        streamed.push(item)
      expect(streamed).toEqual([
        { run: id, number: 1 },
        { run: id, number: 2 },
      ])
      const { body } = await exportItems(engine, 'quernel_runs', { fields: ['flow'], sort: ['flow'] }, 'csv')
      expect(await new Response(body).text()).toBe('flow\r\nother\r\nwelcome\r\n')
      const query = '{ quernel_steps { number run { flow } } }'
      expect(JSON.parse(await answerGraphQL(engine, { query }))).toEqual({
        data: {
          quernel_steps: [
            { number: 1, run: { flow: 'welcome' } },
            { number: 2, run: { flow: 'welcome' } },
          ],
        },
      })
      const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
      const response = await handler(new Request('http://localhost/items/quernel_runs?fields=flow&sort=flow'))
      expect(await response.json()).toEqual({ data: [{ flow: 'other' }, { flow: 'welcome' }] })
    })

    it('under the rules of a caller, and not without one', async () => {
      const engine = await withRows()
      const mine = engine.as({
        rules: {
          quernel_runs: { read: { fields: ['flow', 'state'], filter: { state: { _eq: 'failed' } } } },
        },
      })
      expect(await listItems(mine, 'quernel_runs')).toEqual({ data: [{ flow: 'other', state: 'failed' }] })
      await expect(listItems(mine, 'quernel_steps')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(listItems(engine.as({}), 'quernel_runs')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(() =>
        engine.as({ rules: { quernel_runs: { read: { fields: ['nothing' as 'flow'] } } } }),
      ).toThrow('There is no field "nothing" in "quernel_runs".')
    })

    it('by hooks that narrow them', async () => {
      const engine = await withRows()
      engine.on(
        'items.read',
        'quernel_runs',
        ({ query }) => ({ ...query, filter: { flow: { _eq: 'other' } } }),
        { when: 'before' },
      )
      expect(await listItems(engine, 'quernel_runs', { fields: ['flow'] })).toEqual({
        data: [{ flow: 'other' }],
      })
    })
  })

  describe('are written by no verb', () => {
    const data = { flow: 'x' }
    // The types of an engine know nothing of what no verb takes.
    const verbs: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
      createItem: (engine) => createItem(engine, 'quernel_runs', { ...run, id: other }),
      createItems: (engine) => createItems(engine, 'quernel_runs', []),
      updateItem: (engine) => updateItem(engine, 'quernel_runs', id, data),
      'updateItem with an increment': (engine) =>
        updateItem(engine, 'quernel_runs', id, { token: { _increment: 1 } }),
      'updateItem of an item that is not there': (engine) => updateItem(engine, 'quernel_runs', other, data),
      updateItems: (engine) => updateItems(engine, 'quernel_runs', [id], data),
      updateEach: (engine) => updateEach(engine, 'quernel_runs', [{ id, ...data }]),
      updateByQuery: (engine) =>
        updateByQuery(engine, 'quernel_runs', { filter: { flow: { _eq: 'welcome' } } }, data),
      'updateByQuery, tried': (engine) =>
        updateByQuery(engine, 'quernel_runs', { filter: { flow: { _eq: 'no' } } }, data, { dryRun: true }),
      upsertItem: (engine) => upsertItem(engine, 'quernel_runs', { id, ...data }),
      upsertItems: (engine) => upsertItems(engine, 'quernel_runs', [{ id, ...data }]),
      deleteItem: (engine) => deleteItem(engine, 'quernel_runs', id),
      deleteItems: (engine) => deleteItems(engine, 'quernel_runs', [id]),
      'deleteItems, tried': (engine) =>
        deleteItems(engine, 'quernel_runs', [id], undefined, { dryRun: true }),
      deleteByQuery: (engine) =>
        deleteByQuery(engine, 'quernel_runs', { filter: { flow: { _eq: 'welcome' } } }),
      updateSingleton: (engine) => updateSingleton(engine, 'quernel_runs', data),
      'a read that locks': (engine) =>
        engine.transaction((inside) => getItem(inside, 'quernel_runs', id, {}, { lock: true })),
    }
    const callers: Readonly<Record<string, (engine: Engine) => Engine>> = {
      'the host': (engine) => engine,
      'an admin': (engine) => engine.as({ admin: true }),
      'a caller with rules for it': (engine) =>
        engine.as({ rules: { quernel_runs: { create: true, read: true, update: true, delete: true } } }),
      'a caller who may read': (engine) => engine.as({ rules: { quernel_runs: { read: true } } }),
    }

    it.each(Object.entries(callers))('of %s', async (_, callerOf) => {
      const engine = callerOf((await withRows()) as unknown as Engine) // the verbs take any collection there
      for (const [name, verb] of Object.entries(verbs))
        await expect(verb(engine), name).rejects.toMatchObject(written)
      for (const collection of ['quernel_steps', 'quernel_flows'])
        await expect(deleteItems(engine, collection, [])).rejects.toMatchObject({
          code: expect.stringMatching(/FORBIDDEN|NOT_FOUND/),
        })
      expect((await listItems(engine, 'quernel_runs', { fields: ['flow'], sort: ['flow'] })).data).toEqual([
        { flow: 'other' },
        { flow: 'welcome' },
      ])
    })

    it('of a caller to whom they are not there', async () => {
      const engine = (await withRows()).as({}) as unknown as Engine // as above
      for (const [name, verb] of Object.entries(verbs))
        await expect(verb(engine), name).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })

    it('over HTTP and in GraphQL, whose documents offer none', async () => {
      const engine = await withRows()
      const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
      const requests = [
        ['POST', '', { ...run, id: other }],
        ['PATCH', `/${id}`, data],
        ['PATCH', '', { keys: [id], data }],
        ['PUT', '', { id, ...data }],
        ['DELETE', `/${id}`, undefined],
        ['DELETE', '', [id]],
      ] as const
      for (const [method, path, body] of requests) {
        const response = await handler(
          new Request(`http://localhost/items/quernel_runs${path}`, {
            method,
            headers: { 'content-type': 'application/json' },
            ...(body && { body: JSON.stringify(body) }),
          }),
        )
        expect(response.status, method).toBe(403)
        expect(await response.json()).toMatchObject({ errors: [{ message: written.message }] })
      }
      const text = printGraphQLSchema(engine)
      expect(text).toMatch(/quernel_runs_by_id/)
      expect(text).not.toMatch(/(create|update|upsert|delete)_quernel_|input (create|update)_quernel_/)
      const paths = Object.entries(Object(describeApi(engine).paths)).filter(
        ([path]) =>
          // A search by POST reads.
          path.includes('quernel_') && !path.endsWith('/search'),
      )
      expect(paths.length).toBeGreaterThan(0)
      for (const [path, methods] of paths)
        expect(
          Object.keys(methods ?? {}).filter((one) => /^(post|put|patch|delete)$/.test(one)),
          path,
        ).toEqual([])
    })

    it('inside of others, which may be linked to them', async () => {
      const engine = await withOrders()
      expect(await createItem(engine, 'orders', { id: 2, run: id }, { fields: ['run.flow'] })).toEqual({
        run: { flow: 'welcome' },
      })
      expect(await updateItem(engine, 'orders', 1, { run: { id } }, { fields: ['run'] })).toEqual({ run: id })
      const open = engine as unknown as Engine // as above
      const attempts: readonly Readonly<Record<string, unknown>>[] = [
        { run: { ...run, id: other } },
        { run: { id, flow: 'x' } },
        { run: { id: other } },
        { caused: [] },
        { caused: [id] },
        { caused: { create: [run] } },
        { caused: { delete: [id] } },
      ]
      for (const attempt of attempts) {
        const path = Object.keys(attempt)
        await expect(updateItem(open, 'orders', 1, attempt)).rejects.toMatchObject({ ...written, path })
        await expect(createItem(open, 'orders', { id: 3, ...attempt })).rejects.toMatchObject(written)
        await expect(
          createItem(open, 'notes', { id: 3, order: { id: 3, ...attempt } }),
        ).rejects.toMatchObject({ ...written, path: ['order', ...path] })
        await expect(
          updateByQuery(open, 'orders', { filter: { id: { _eq: 1 } } }, attempt),
        ).rejects.toMatchObject(written)
      }
      expect(await getItem(engine, 'quernel_runs', id, { fields: ['flow', 'orders.id'] })).toEqual({
        flow: 'welcome',
        orders: [{ id: 1 }, { id: 2 }],
      })
      expect(printGraphQLSchema(engine)).not.toMatch(/input (create|update)_quernel_/)
      const { schemas } = Object(Object(describeApi(engine)).components)
      expect(Object.keys(schemas)).toContain('quernel_runs.filter')
      const parts = Object.keys(schemas).filter((name) => /^quernel_.*(create|update|new|nested)/.test(name))
      expect(parts).toEqual([])
      expect(Object.keys(Object(schemas['orders.update']).properties)).toEqual(['id', 'run', 'notes'])
      expect(JSON.stringify(schemas['orders.update'])).not.toContain('quernel_runs')
    })

    it('by versions, of which they have none', async () => {
      const engine = await withOrders()
      await expect(createVersion(engine, 'quernel_runs', id, { key: 'draft' })).rejects.toMatchObject(written)
      const plainRuns = createEngine({ db: opened.db, schema: plain, flows: {} })
      await expect(
        createVersion(plainRuns as unknown as Engine, 'quernel_runs', id, { key: 'draft' }), // as above
      ).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })
  })

  describe('are there', () => {
    it('for an engine with the option alone', async () => {
      const engine = createEngine({ db: opened.db, schema: plain })
      await engine.install()
      expect(internalsOf(engine).runs).toBeUndefined()
      // @ts-expect-error There is no such collection.
      await expect(listItems(engine, 'quernel_runs')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(insert('quernel_runs', run)).rejects.toThrow()
      const open = engine as Engine
      expect(() => open.as({ rules: { quernel_runs: { read: true } } })).toThrow(
        'There is no collection "quernel_runs".',
      )
    })

    it('so that the host may use the names otherwise', async () => {
      const schema = defineSchema({ quernel_runs: { fields: { id: key } } })
      await opened.run('create table quernel_runs (id integer primary key)')
      const engine = createEngine({ db: opened.db, schema })
      expect(await createItem(engine, 'quernel_runs', { id: 1 })).toEqual({ id: 1 })
    })

    it('under other names and in other tables', async () => {
      const engine = createEngine({
        db: opened.db,
        schema: plain,
        flows: { runs: { collection: 'runs' }, steps: { collection: 'steps', table: 'my_steps' } },
      })
      await engine.install()
      await insert('runs', run)
      await insert('my_steps', { ...step, number: 1 })
      const open = engine as Engine
      const query = { fields: ['flow', 'steps.operation'] }
      expect(await listItems(open, 'runs', query)).toEqual({
        data: [{ flow: 'welcome', steps: [{ operation: 'read' }] }],
      })
      await expect(deleteItem(open, 'runs', id)).rejects.toMatchObject({
        message: '"runs" is written by flows only.',
      })
    })

    it('beside tables of another that are refused untouched', async () => {
      await opened.run('create table quernel_steps (id integer primary key)')
      await expect(createEngine({ db: opened.db, schema: plain, flows: {} }).install()).rejects.toMatchObject(
        {
          code: 'INVALID_OPTIONS',
          message: expect.stringMatching(/^The table "quernel_steps" has no column "run"/),
        },
      )
      await expect(insert('versions', { id })).rejects.toThrow(/no such table|does not exist/)
    })
  })

  it('a tick, a request and a step are there once', async () => {
    await withRows()
    const more = { ...run, id: '00000000-0000-4000-8000-000000000003', tick: at, request: 'r' }
    await insert('quernel_runs', more)
    const last = { ...run, id: '00000000-0000-4000-8000-000000000004' }
    await expect(insert('quernel_runs', { ...last, tick: at })).rejects.toThrow(/unique/i)
    await expect(insert('quernel_runs', { ...last, request: 'r' })).rejects.toThrow(/unique/i)
    await insert('quernel_runs', { ...last, flow: 'other', tick: at })
    await expect(insert('quernel_steps', { ...step, number: 2 })).rejects.toThrow(/unique/i)
  })
})

describe('the option', () => {
  const created = (schema: Schema, flows: object) => {
    return sqlite.open().then(({ db }) => createEngine({ db, schema, flows }))
  }
  const described = (field: string, definition: object | undefined): Schema => {
    const { [field]: _, ...fields } = runDefinitions.quernel_runs.fields as Readonly<Record<string, object>>
    const runs = { fields: definition ? { ...fields, [field]: definition } : fields }
    return defineSchema({ ...runDefinitions, quernel_runs: runs } as never) // a definition with one mistake
  }
  const { quernel_runs: runs, ...others } = runDefinitions
  const { steps: _, ...stored } = runs.fields

  it.each<[string, Schema, object, object]>(
    rowsOf({
      'a collection without a field': [
        described('lane', undefined),
        {},
        {
          message: 'The collection "quernel_runs" has no field "lane" to hold runs.',
          path: ['flows', 'runs', 'collection'],
          hint: 'Give the runs another name with flows.runs: { collection }.',
        },
      ],
      'times that are stored as texts': [
        described('due', { type: 'timestamp' }),
        {},
        { message: 'The collection "quernel_runs" has no field "due" to hold runs.' },
      ],
      'runs without steps': [
        defineSchema({ quernel_runs: { fields: stored } }),
        {},
        {
          message: 'The schema describes runs or steps of flows, and not "quernel_steps".',
          path: ['flows', 'steps'],
        },
      ],
      'one collection for two purposes': [
        plain,
        { runs: { collection: 'all' }, steps: { collection: 'all' } },
        { message: 'Runs, steps and definitions of flows need a collection each.', path: ['flows'] },
      ],
      'a name that no collection may have': [
        plain,
        { steps: { collection: 'a.b' } },
        { path: ['flows', 'steps', 'collection'] },
      ],
      'a table of a collection that is described': [
        defineSchema({ quernel_flows: others.quernel_flows }),
        { definitions: { table: 'x' } },
        { path: ['flows', 'definitions', 'table'] },
      ],
      'an unknown part': [plain, { run: {} }, { path: ['flows', 'run'] }],
      'an unknown option of a part': [plain, { runs: { name: 'x' } }, { path: ['flows', 'runs', 'name'] }],
    }),
  )('refuses %s', async (_, schema, flows, expected) => {
    await expect(created(schema, flows)).rejects.toMatchObject({ code: 'INVALID_OPTIONS', ...expected })
  })

  it('takes collections that the schema describes', async () => {
    const engine = await created(defineSchema(runDefinitions), {})
    expect(internalsOf(engine).runs?.runs).toBe(engine.schema.collections.get('quernel_runs'))
  })
})
