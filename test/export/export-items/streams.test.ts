// A file is made as it is read. Whatever ends it early, nothing stays behind; and where it breaks, that is seen.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ExportOptions, exportItems } from '../../../src/export.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  isEngineError,
  listItems,
  type QueryReport,
} from '../../../src/index.ts'
import { inSeconds, openPool } from '../../items/connections.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { key, many, one, string } from '../../support/fields.ts'
import { lanes } from '../../support/lanes.ts'

const schema = defineSchema({
  rows: { fields: { id: key, text: string, parts: many('parts.row') } },
  parts: { fields: { id: key, row: one('rows') } },
  // A view that cannot say what its five thousandth row holds, and one whose rows take their time.
  flaws: { fields: { id: key, text: string, number: { type: 'bigInteger' } } },
  naps: { fields: { id: key, length: string } },
})
type Rows = Engine<typeof schema>

const count = 8_000
const all = { fields: ['id', 'text'], sort: 'id', limit: -1 } as const
/** The watchdog of what would else hang; a busy machine takes seconds for less. */
const patience = 60

const flaw = { sqlite: sql`abs(-9223372036854775807 - 1)`, postgres: sql`1 / (id - 5000)` }

async function createRows(name: keyof typeof flaw, { db, run }: OpenDatabase): Promise<void> {
  const ids =
    name === 'postgres'
      ? sql`select id from generate_series(1, ${sql.lit(count)}) as s (id)`
      : sql`with recursive s (id) as (select 1 union all select id + 1 from s where id < ${sql.lit(count)}) select id from s`
  await run('create table rows (id integer primary key, text text not null)')
  await sql`insert into rows select id, 'a text that is long enough for pieces, number ' || id from (${ids}) as ids`.execute(
    db,
  )
  await run('create table parts (id integer primary key, "row" integer not null)')
  await sql`create view flaws as select id, text, case when id = 5000 then ${flaw[name]} else id end as number from rows`.execute(
    db,
  )
}

const lonely = [
  ...lanes.filter(({ name }) => name === 'sqlite'),
  { name: 'postgres' as const, title: 'a PostgreSQL pool of one', open: () => openPool(1) },
]

describe.each(lonely)('a file out of $title', ({ name, open }) => {
  let engine: Rows
  let reports: QueryReport[]
  beforeEach(async () => {
    const opened = await open()
    await createRows(name, opened)
    reports = []
    engine = createEngine({
      db: opened.db,
      schema,
      acquireTimeoutMs: 2_000,
      onQuery: (report) => reports.push(report),
    })
  })

  const exported = (options: ExportOptions = {}) => exportItems(engine, 'rows', all, 'ndjson', options)
  /** Fails where something still holds the only connection. */
  const expectFree = async () =>
    expect((await inSeconds(patience, listItems(engine, 'rows', { limit: 3 }))).data).toHaveLength(3)

  it('a reader that does not read lets nothing be made', async () => {
    const reader = (await exported()).body.getReader()
    await reader.read()
    const before = reports.length
    await sleep(100)
    expect(reports.length).toBe(before)
    // A piece is a fraction of what a statement answers, so reading one asks for one statement at most.
    await reader.read()
    expect(reports.length).toBeLessThanOrEqual(before + 1)
    await reader.cancel()
  })

  it('all of it is read, piece by piece', async () => {
    const { body } = await exported()
    let pieces = 0
    let text = ''
    const decoder = new TextDecoder()
    for await (const piece of body) {
      pieces++
      text += decoder.decode(piece, { stream: true })
    }
    expect(pieces).toBeGreaterThan(5)
    expect(text.split('\n')).toHaveLength(count + 1)
    await expectFree()
  })

  it('one that is cancelled gives its connection back', async () => {
    for (let time = 0; time < 5; time++) {
      const { body } = await exported()
      const reader = body.getReader()
      for (let read = 0; read < time; read++) await reader.read()
      await inSeconds(patience, reader.cancel())
    }
    await expectFree()
  })

  it('one that is left by a loop gives its connection back', async () => {
    for await (const piece of (await exported()).body) if (piece.length > 0) break
    await expectFree()
  })

  it('an aborted signal breaks it while nobody reads, and gives its connection back', async () => {
    const reason = new Error('the caller has gone')
    const giveUp = new AbortController()
    const { body } = await exported({ signal: giveUp.signal })
    const reader = body.getReader()
    await reader.read()
    giveUp.abort(reason)
    await expectFree()
    await expect(reader.read()).rejects.toBe(reason)
  })

  it('a signal that was aborted before asks nothing', async () => {
    const reason = new Error('too late')
    await expect(exported({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(reports).toEqual([])
  })

  it('what the database fails with on the way breaks it', async () => {
    const { body } = await exportItems(engine, 'flaws', { sort: 'id', limit: -1 }, 'csv')
    let read = 0
    const reading = (async () => {
      for await (const piece of body) read += piece.length
    })()
    await expect(reading).rejects.toSatisfy(isEngineError)
    expect(read).toBeGreaterThan(0)
    await expectFree()
  })

  it('what the database fails with at once is thrown', async () => {
    const query = { sort: 'id', filter: { id: { _gte: 4_990 } }, limit: -1 } as const
    await expect(exportItems(engine, 'flaws', query, 'json')).rejects.toSatisfy(isEngineError)
    await expectFree()
  })

  it('one of few items holds no connection, whether or not it is read', async () => {
    const { body } = await exportItems(engine, 'rows', { fields: ['id', 'text', 'parts'] }, 'xml')
    await expectFree()
    expect((await new Response(body).text()).match(/<item>/g)).toHaveLength(100)
  })

  it('it shows what the transaction around it has written', async () => {
    const text = await engine.transaction(async (inside) => {
      const { body } = await exportItems(inside, 'rows', { ...all, limit: 3_000 }, 'ndjson')
      return new Response(body).text()
    })
    expect(text.split('\n')).toHaveLength(3_001)
    await expectFree()
  })

  it('a handler is asked before, and may refuse or ask for something else', async () => {
    const off = engine.on('items.read', 'rows', ({ query }) => ({ ...query, limit: 2 }), { when: 'before' })
    expect(await new Response((await exported()).body).text()).toMatch(/^.*\n.*\n$/)
    off()
    engine.on('items.read', 'rows', () => Promise.reject(new Error('not today')), { when: 'before' })
    await expect(exported()).rejects.toThrow('not today')
  })
})

describe('a statement of PostgreSQL that runs', () => {
  let opened: Awaited<ReturnType<typeof openPool>>
  let engine: Rows
  beforeEach(async () => {
    opened = await openPool(3)
    await opened.run(
      "create view naps as select id, case when id > 1500 then pg_sleep(60)::text else repeat('z', 100) end as length from generate_series(1, 2000) as s (id) order by id",
    )
    engine = createEngine({ db: opened.db, schema })
  })

  const until = async (holds: () => Promise<boolean>) => {
    for (const started = Date.now(); !(await holds()); await sleep(20))
      if (Date.now() - started > patience * 1_000)
        throw new Error(`it did not come within ${patience} seconds`)
  }
  const busy = (many: number) => until(async () => (await opened.busy()).length === many)

  it.each(['cancelling', 'aborting'] as const)('is ended by %s the file', async (how) => {
    const giveUp = new AbortController()
    const { body } = await exportItems(engine, 'naps', { limit: -1 }, 'json', { signal: giveUp.signal })
    const reader = body.getReader()
    const reading = (async () => {
      while (!(await reader.read()).done);
    })()
    const outcome = reading.then(
      () => 'ended',
      () => 'broken',
    )
    await busy(1)
    if (how === 'cancelling') await inSeconds(patience, reader.cancel())
    else giveUp.abort()
    await busy(0)
    expect(await outcome).toBe(how === 'cancelling' ? 'ended' : 'broken')
    await until(async () => opened.pool.idleCount === opened.pool.totalCount)
  })

  it('is ended when it takes longer than it may', async () => {
    const file = exportItems(engine, 'naps', { limit: -1, sort: '-id' }, 'csv', { timeoutMs: 50 })
    await expect(file).rejects.toMatchObject({ code: 'OUT_OF_TIME' })
  })
})
