// A worker that kills itself at one of its calls of the database, or stops at one of its steps outside of it: one that stopped inside of a
// transaction would keep the only write lock of a file from all others.
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import type { AnyTables } from '../../support/databases.ts'
import { survivingFlows } from './surviving.ts'

const [kind, place = '', outside = '', killAt, stopAt] = process.argv.slice(2)
let calls = 0
let told = 0
const count = (): void => {
  calls += 1
  if (calls === Number(killAt)) process.kill(process.pid, 'SIGKILL')
}

function openSqlite(): Kysely<AnyTables> {
  const database = new BetterSqlite(place, { verbose: count })
  database.pragma('busy_timeout = 2000')
  return new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
}

function openPostgres(): Kysely<AnyTables> {
  const [connectionString = '', schema = ''] = place.split('#')
  const pool = new pg.Pool({ connectionString, options: `-c search_path=${schema}`, max: 4 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    Object.assign(client, {
      query: (...input: Parameters<typeof query>) => {
        const answer: unknown = query(...input)
        // Every second one is sent before the process ends, so that the server has it.
        if (calls % 2 === 0) count()
        else setImmediate(count)
        return answer
      },
    })
  })
  return new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
}

const { flows } = survivingFlows({
  db: kind === 'sqlite' ? openSqlite() : openPostgres(),
  outside,
  leaseMs: 1_500,
  onTold: (text) => {
    if (text.startsWith('poison')) process.kill(process.pid, 'SIGKILL')
    told += 1
    if (told === Number(stopAt)) process.kill(process.pid, 'SIGSTOP')
  },
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
// Other processes write to the file: a start that finds it locked is tried again, as a host's supervisor would.
for (let isStarted = false; !isStarted; )
  isStarted = await flows.start({ concurrency: 4 }).then(
    () => true,
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      return false
    },
  )
process.stdout.write('started\n')
// Whoever is never killed ends when its input does.
process.stdin.resume().once('end', () => process.exit(0))
