// A worker of a process of its own, for what is measured of several: it works until its input ends.
import '../production.ts'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import pg from 'pg'
import { createEngine } from 'quernel'
import { createFlows } from 'quernel/flows'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { flowsOf, schema, types } from './measured-flows.ts'

const [name, address = ''] = process.argv.slice(2)

function open(): Kysely<Record<string, Record<string, unknown>>> {
  if (name === 'postgres')
    return new Kysely({
      dialect: postgresDialect({ pool: new pg.Pool({ connectionString: address, max: 8 }) }),
    })
  const database = new BetterSqlite(address)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.pragma('busy_timeout = 10000')
  return new Kysely({ dialect: sqliteDialect({ database }) })
}

const engine = createEngine({ db: open(), schema, flows: {} })
const flows = createFlows(engine, {
  flows: flowsOf,
  operationTypes: types,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
await flows.start({ concurrency: 8 })
process.stdout.write('started\n')
// Asked for the milliseconds of processor that it has taken.
process.stdin.on('data', () => {
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${(user + system) / 1_000}`)
})
process.stdin.once('end', () => void flows.stop().then(() => process.exit(0)))
