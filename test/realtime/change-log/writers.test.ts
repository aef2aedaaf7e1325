// Writers beside each other, with savepoints, roll-backs and transactions that take long: each row that is committed is told, and none twice.
// QUERNEL_LONG=1 writes 100,000 rows beside transactions of a minute.

import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { installChangeLog } from '../../../src/realtime.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { atEnd } from '../../support/at-end.ts'
import { openPostgres } from '../../support/databases.ts'
import { isLong } from '../../support/long-runs.ts'
import { listen, openTables, until } from './tables.ts'

const rowsWanted = isLong ? 100_000 : 5_000
const longMs = isLong ? 60_000 : 500

it(`tells each row of six writers once (QUERNEL_SEED=${fuzzSeed})`, async () => {
  const { engine, rows } = await openTables({ open: openPostgres })
  await installChangeLog(engine, ['tasks'], { keep: { rows: 20_000 } })
  const [home] = await rows('select current_schema() as name')
  const connect = async (url = inject('postgres').c) => {
    const client = new pg.Client({ connectionString: url, options: `-c search_path=${home?.name}` })
    await client.connect()
    atEnd(() => client.end())
    return client
  }
  const heard = await listen(engine)
  const readers = [heard, await listen(engine)]
  // Whoever runs in another database of the server is in each snapshot, too.
  const elsewhere = await connect(inject('postgres').language)
  await elsewhere.query('begin; select pg_current_xact_id()')
  const slow = await connect()
  await slow.query(`begin; insert into tasks (id, title) values (-1, 'slow')`)
  let next = 10
  const committed = new Set(['create tasks -2', 'create tasks -1'])
  const write = async (writer: number) => {
    const random = new Random(fuzzSeed + writer)
    const client = await connect()
    while (next < rowsWanted) {
      const level = random.one(['read committed', 'read committed', 'repeatable read', 'serializable'])
      const own: string[] = []
      const insert = async (count: number) => {
        const ids = Array.from({ length: count }, () => next++)
        own.push(...ids.map((id) => `create tasks ${id}`))
        await client.query('insert into tasks (id, title) select unnest($1::int[]), $2', [ids, level])
      }
      await client.query(`begin isolation level ${level}`)
      try {
        await insert(1 + random.below(40))
        if (random.chance(0.4)) {
          const kept = own.length
          await client.query('savepoint one')
          await insert(1 + random.below(10))
          if (random.chance(0.5)) {
            await client.query('rollback to one')
            own.length = kept
          } else await client.query('release one')
        }
        const isUndone = random.chance(0.15)
        await client.query(isUndone ? 'rollback' : 'commit')
        if (!isUndone) for (const text of own) committed.add(text)
      } catch (error) {
        // Of the database, to transactions that are serializable.
        if (!(error instanceof pg.DatabaseError) || error.code !== '40001') throw error
        await client.query('rollback')
      }
    }
  }
  const begun = performance.now()
  await Promise.all([0, 1, 2, 3, 4, 5].map(write))
  while (performance.now() - begun < longMs) await new Promise((resolve) => setTimeout(resolve, 50))
  await slow.query(`insert into tasks (id, title) values (-2, 'slow')`)
  await slow.query('commit')
  await elsewhere.query('commit')
  const [stored] = await rows('select count(*)::int as n from tasks where id not in (1, 2)')
  expect(committed.size).toBe(Number(stored?.n))
  for (const reader of readers) {
    await until(() => reader.texts.length >= committed.size)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(reader.isBroken).toBe(false)
    expect(reader.texts).toHaveLength(committed.size)
    expect(new Set(reader.texts)).toEqual(committed)
  }
  // Rows of the log that were read: by readers, and by prunings, which read what they remove. Each process tells about once a second what it has counted.
  const counted = async (column: string) => {
    const [found] = await rows(
      `select (${column})::int as n from pg_stat_user_tables where relid = 'quernel_changes'::regclass`,
    )
    return Number(found?.n)
  }
  const wanted = readers.length * committed.size
  await until(async () => (await counted('idx_tup_fetch')) >= wanted)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect(await counted('seq_tup_read + idx_tup_fetch - 2 * n_tup_del')).toBeLessThanOrEqual(1.05 * wanted)
})
