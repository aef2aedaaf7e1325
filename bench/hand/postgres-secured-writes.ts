// Rules as policies of the database: its row-level security, with the caller set for each transaction.
import pg from 'pg'
import {
  caller,
  change,
  columns,
  deletion,
  many,
  memberOf,
  names,
  nextKey,
  nextViews,
  one,
  turns,
  valuesOf,
  type Writer,
} from '../written.ts'
import { flight } from './flight.ts'
import { columnLists, marks } from './postgres-writes.ts'

const role = 'quernel_bench_writer'
// In a subselect, so that it is read once for each statement and not for each row.
const member = `(select current_setting('bench.member')::int)`

type SecuredKind = 'alone' | 'related'

const policies: Readonly<Record<SecuredKind, readonly string[]>> = {
  alone: [
    'create policy seen on written for select using (views >= 0)',
    'create policy made on written for insert with check (views >= 0)',
    `create policy own on written for update using (author = ${member})`,
    `create policy gone on written for delete using (status = 'gone')`,
  ],
  related: [`create policy theirs on written using (${memberOf('written.author', member)})`],
}

/** Connections of a role that the policies are for. */
export async function openSecuredPool(owner: pg.Pool, url: string, kind: SecuredKind) {
  const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [role])
  if (rowCount === 0) await owner.query(`create role ${role}`)
  for (const policy of policies[kind]) await owner.query(policy)
  await owner.query(`alter table written enable row level security; grant all on written to ${role}`)
  if (kind === 'related') await owner.query(`grant select on written_members to ${role}`)
  const pool = new pg.Pool({ connectionString: url, options: `-c role=${role}`, pipeline: true })
  const close = async () => {
    await pool.end()
    await owner.query(`drop owned by ${role}`)
    await owner.query(`drop role ${role}`)
  }
  return { pool, close }
}

/** Begins, says who calls, writes and commits in one flight. */
export function securedWriter(pool: pg.Pool, kind: SecuredKind): Writer {
  const set = {
    name: 'secured_set',
    text: `select set_config('bench.member', $1, true)`,
    values: [String(caller)],
  }
  const written = async (name: string, text: string, values: readonly unknown[]) =>
    (await flight(pool, ['begin', set, { name: `secured_${name}`, text, values: [...values] }, 'commit']))[2]
  const byKey = {
    W9a: async () =>
      (
        await written(
          'create',
          `insert into written (${names}) values (${marks.join(', ')}) returning id`,
          valuesOf(one),
        )
      )?.rows[0],
    W9u: async () => {
      const id = nextKey()
      const { title, views } = change()
      const text = 'update written set title = $1, views = $2 where id = $3 returning id, title'
      return (await written('change', text, [title, views, id]))?.rows[0]
    },
    W10d: async () => ({
      deleted: (await written('remove', 'delete from written where id = $1', [turns.gone]))?.rowCount,
    }),
  }
  const ofMany = {
    W9b: async () =>
      (
        await written(
          'all',
          `insert into written (${names}) select * from unnest(${columnLists.join(', ')}) returning id`,
          columns.map((column) => many.map((row) => row[column])),
        )
      )?.rows,
    W9q: async () => {
      const text = `update written set views = $1 where status = 'gone'`
      return { updated: (await written('change_all', text, [nextViews()]))?.rowCount }
    },
    W10: async () => ({
      deleted: (await written('remove_all', `delete from written where status = 'gone'`, []))?.rowCount,
    }),
    W10k: async () =>
      deletion(
        (await written('told', `delete from written where status = 'gone' returning id`, []))?.rows ?? [],
      ),
  }
  return kind === 'related'
    ? { name: 'hand, RLS related', forms: { 'in one flight': byKey } }
    : { name: 'hand, RLS', forms: { 'in one flight': { ...byKey, ...ofMany } } }
}
