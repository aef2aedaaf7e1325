// Collections whose rows take long, in a database that tells which of its connections are at work.
import { setTimeout as wait } from 'node:timers/promises'
import { inSeconds, type OpenPool, openPool } from '../items/connections.ts'
import { key, string } from '../support/fields.ts'

export const slowTables = {
  /** Its view takes an hour for each row. */
  slow: { fields: { id: key } },
  many: { fields: { id: key, text: string } },
} as const

export interface SlowPool extends OpenPool {
  /** Waits for a statement to be at work. */
  readonly untilBusy: () => Promise<void>
  /** Waits for all connections to be given back. */
  readonly untilIdle: () => Promise<void>
}

/** Opens a pool of two connections to a database with the slow tables. */
export async function openSlowPool(): Promise<SlowPool> {
  const opened = await openPool(2)
  const { pool, run } = opened
  await run('create view slow as select id from (select 1 as id, pg_sleep(3600)) as sleeping')
  await run("create view many as select id, repeat('x', 1000) as text from generate_series(1, 50000) as id")
  const isBusy = async () => (await opened.busy()).length > 0
  const isIdle = async () => !(await isBusy()) && pool.idleCount === pool.totalCount
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await wait(20)
  }
  return {
    ...opened,
    untilBusy: () => inSeconds(20, until(isBusy)),
    untilIdle: () => inSeconds(20, until(isIdle)),
  }
}
