import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** A database of its own, as an example would be given one. */
export async function openPostgresUrl(): Promise<{ url: string; close: () => Promise<void> }> {
  const name = `example_${randomBytes(8).toString('hex')}`
  const admin = inject('postgres').c
  const run = async (sql: string) => {
    const client = new pg.Client(admin)
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await run(`create database ${name}`)
  const url = new URL(admin)
  url.pathname = name
  return { url: url.href, close: () => run(`drop database ${name} with (force)`) }
}
