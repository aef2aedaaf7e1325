// Bounds of what may be due, and databases that can keep no runs.
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createFlows, defineFlow } from '../../../src/flows.ts'
import { createEngine, createItem, listItems } from '../../../src/index.ts'
import { type AnyTables, databases } from '../../support/databases.ts'
import { note, openWorld, schema, type World } from './world.ts'

const logging = (name: string) =>
  defineFlow({
    name,
    trigger: { on: 'flow' },
    access: 'full',
    first: 'l',
    operations: { l: { type: 'log', options: { message: 'x' } } },
  })

const noting = defineFlow({
  name: 'noting',
  trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
  access: 'full',
  first: 'note',
  operations: { note: note('new') },
})

const writing = defineFlow({
  name: 'writing',
  trigger: { on: 'flow' },
  access: 'full',
  first: 'write',
  retry: { times: 0 },
  operations: {
    write: {
      type: 'item-create',
      options: { collection: 'articles', payload: { title: 'x' }, emitEvents: true },
      reject: 'refused',
    },
    refused: note('{{ $last.code }}'),
  },
})

describe.each(databases)('on $name', (database) => {
  let world: World
  beforeEach(async () => {
    world = await openWorld(database)
  })

  /** Makes a run of a flow the first of very many that are due. */
  const multiply = async (flow: string, count: number) => {
    const uuid =
      database.name === 'sqlite'
        ? `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
        : 'gen_random_uuid()'
    const series =
      database.name === 'sqlite'
        ? `(with recursive n (v) as (select 1 union all select v + 1 from n where v < ${count - 1}) select v from n)`
        : `(select generate_series(1, ${count - 1}) as v)`
    await sql
      .raw(
        `insert into quernel_runs (id, flow, definition, state, "trigger", origin, access, due, token, deaths, attempt, depth, created) select ${uuid}, flow, definition, 'ready', "trigger", origin, access, due, 0, 0, 0, 0, created from (select * from quernel_runs where flow = '${flow}') as r, ${series} as s`,
      )
      .execute(world.db)
  }
  const full = {
    code: 'SERVICE_UNAVAILABLE',
    message: 'Too many runs are due, so no more are started.',
    extensions: { retryAfter: 5 },
  }

  it('starts no 10,001st run of a flow, and those of others before most of them', async () => {
    const flows = await world.flows({ flows: [logging('crowd'), logging('other')] })
    await flows.run('crowd')
    await multiply('crowd', 10_000)
    await new Promise((resolve) => setTimeout(resolve, 1_100)) // as long as a count is good
    await expect(flows.run('crowd')).rejects.toMatchObject(full)
    const { id } = await flows.run('other')
    await flows.start()
    const state = async () => {
      const query = { filter: { id: { _eq: id } }, fields: ['state', 'started'] } as const
      return (await listItems(world.engine, 'quernel_runs', query)).data[0]
    }
    await expect.poll(async () => (await state())?.state, { timeout: 60_000 }).toBe('succeeded')
    await flows.stop()
    const { started } = Object(await state())
    const { meta } = await listItems(world.engine, 'quernel_runs', {
      filter: { flow: { _eq: 'crowd' }, started: { _lt: started } },
      limit: 0,
      meta: 'filter_count',
    })
    expect(meta.filter_count).toBeLessThanOrEqual(20)
  }, 120_000)

  it('lets others have their turn, however many runs are due and however long one is', async () => {
    const counting = defineFlow({
      name: 'counting',
      trigger: { on: 'flow' },
      access: 'full',
      first: 'each',
      operations: {
        each: {
          type: 'for-each',
          options: {
            list: Array.from({ length: 2_000 }, (_, at) => at),
            first: 'note',
            operations: { note: note('{{ $item }}') },
          },
        },
      },
    })
    const flows = await world.flows({ flows: [logging('crowd'), counting] })
    await flows.run('counting')
    await flows.run('crowd')
    await multiply('crowd', 1_000)
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 0)
    await flows.start()
    await world.settle()
    clearInterval(timer)
    expect(await world.notes()).toHaveLength(2_000)
    // One for each claim of ten runs, and for each record of 100 iterations.
    expect(turns).toBeGreaterThanOrEqual(100)
  }, 120_000)

  it('tells of 100,000 due runs once, fails no cause of the host, and rejects the step that would cause one', async () => {
    const flows = await world.flows({ flows: [logging('crowd'), noting, writing] })
    await flows.run('crowd')
    await flows.run('writing')
    await multiply('crowd', 100_000)
    await new Promise((resolve) => setTimeout(resolve, 1_100)) // as long as a count is good
    await expect(flows.run('writing')).rejects.toMatchObject(full)
    const reports = () =>
      world.errors.filter((error) => String(error).includes('100,000 runs of flows are due'))
    expect(reports()).toHaveLength(1)
    await createItem(world.engine, 'articles', { title: 'of the host' })
    expect((await listItems(world.engine, 'articles', {})).data).toHaveLength(1)
    const caused = { filter: { flow: { _eq: 'noting' } }, limit: -1 } as const
    expect((await listItems(world.engine, 'quernel_runs', caused)).data).toHaveLength(1)
    expect(reports()).toHaveLength(1)
    await sql`update quernel_runs set due = 0 where flow = 'writing'`.execute(world.db)
    await flows.start({ concurrency: 1 })
    await expect.poll(world.notes, { timeout: 60_000 }).toContain('SERVICE_UNAVAILABLE')
    await flows.stop()
    expect((await listItems(world.engine, 'articles', {})).data).toHaveLength(1)
  }, 120_000)
})

describe('a driver without transactions', () => {
  class Driver extends SqliteDriver {
    override async beginTransaction(): Promise<void> {
      throw new Error('Transactions are not supported yet.')
    }
  }
  const open = () => {
    const db = new Kysely<AnyTables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new Driver({ database: new BetterSqlite(':memory:') }),
        createIntrospector: (of) => new SqliteIntrospector(of),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    })
    return { db, engine: createEngine({ db, schema, flows: {} }) }
  }
  const reading = defineFlow({
    name: 'reading',
    trigger: { on: 'items.read', collections: ['articles'], when: 'before' },
    access: 'full',
    first: 'refuse',
    operations: { refuse: { type: 'throw-error', options: { status: 403, message: 'Closed today.' } } },
  })

  it('keeps no runs, and is told so', async () => {
    const { db, engine } = open()
    const refused = expect.objectContaining({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('the driver of this database has no transactions'),
    })
    const first = createFlows(engine, { flows: [reading] })
    await expect(first.install()).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'The driver of this database has no transactions, so no runs are kept.',
    })
    expect(() => createFlows(engine, { flows: [noting] })).toThrow(refused)
    await sql`create table articles (id integer primary key, title text)`.execute(db)
    await sql`insert into articles (title) values ('x')`.execute(db)
    await expect(listItems(engine, 'articles', {})).rejects.toThrow('Closed today.')
    expect(await first.run('reading', {}, { inline: true })).toMatchObject({ state: 'failed' })
    await first.stop()
    await db.destroy()
  })

  it('has no worker', async () => {
    const { db, engine } = open()
    const flows = createFlows(engine, { flows: [] })
    await expect(flows.start()).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    await flows.stop()
    await db.destroy()
  })
})
