// Changes made by hand, in the psql of PostgreSQL: `npm run test:psql`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, inject, it } from 'vitest'
import { installChangeLog } from '../../../src/realtime.ts'
import { openPostgres } from '../../support/databases.ts'
import { listen, logged, openTables, until } from './tables.ts'

it('are told, and those that are undone are not', async () => {
  const opened = await openTables({ open: () => openPostgres() })
  const [row] = await opened.rows('select current_schema() as name')
  await installChangeLog(opened.engine, logged)
  const listener = await listen(opened.engine)
  await psql(
    String(row?.name),
    `insert into tasks values (3, 'By hand', 2);
begin; insert into tasks values (4, 'Undone', 2); rollback;
update people set name = 'Eva' where id = 1;
\\copy seats (hall, number, guest) from stdin
main\t1\tAda
the "small" one\t2\t\\N
\\.
update seats set number = 3 where number = 1;
delete from people where id = 2;
`,
  )
  await until(() => listener.texts.includes('delete people 2'))
  expect([...new Set(listener.texts)].sort()).toEqual(
    [
      'create tasks 3',
      'update people 1',
      'create seats ["main",1]',
      'create seats ["the \\"small\\" one",2]',
      'update seats ["main",1]',
      'create seats ["main",3]',
      'update tasks 3',
      'delete people 2',
    ].sort(),
  )
  await opened.run('truncate seats')
  await until(() => listener.texts.includes('any seats'))
  expect(listener.errors).toEqual([])
}, 120_000)

/** Runs what somebody types. */
async function psql(schema: string, typed: string): Promise<void> {
  const child = spawn('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', inject('postgres').c], {
    env: { ...process.env, PGOPTIONS: `-c search_path=${schema}` },
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  child.stdin.end(typed)
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}
