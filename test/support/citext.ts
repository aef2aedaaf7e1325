// An extension stands in one schema of a database: tests that install `citext` in their own have it one after the other.
import pg from 'pg'
import { inject } from 'vitest'
import { atEnd } from './at-end.ts'

/** Waits until other tests have dropped `citext`. Called before a database is opened, it is held until that one is closed. */
export async function takeCitext(): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgres').c })
  await client.connect()
  atEnd(() => client.end())
  await client.query("select pg_advisory_lock(hashtext('citext'))")
}
