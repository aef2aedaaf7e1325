// A worker with a flow that runs each minute, by a clock that the test writes into a file.
import { openSync, readSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { Cron } from 'croner'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { createFlows, defineFlow } from '../../../src/flows.ts'
import { createEngine, defineSchema } from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'

const [kind, place = '', clockFile = ''] = process.argv.slice(2)

function open(): Kysely<AnyTables> {
  if (kind === 'sqlite') {
    const database = new BetterSqlite(place)
    database.pragma('busy_timeout = 20000')
    return new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
  }
  const [connectionString = '', schema = ''] = place.split('#')
  const pool = new pg.Pool({ connectionString, options: `-c search_path=${schema}`, max: 3 })
  return new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
}

const file = openSync(clockFile, 'r')
const bytes = Buffer.alloc(8)
const clock = (): number => {
  readSync(file, bytes, 0, 8, 0)
  return bytes.readDoubleLE()
}

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})
const onError = (error: unknown) => process.stderr.write(`${String(error)}\n`)
const engine = createEngine({ db: open(), schema, flows: {}, onError })
const ticking = defineFlow({
  name: 'ticking',
  trigger: { on: 'schedule', cron: '* * * * *', timeZone: 'UTC', overlap: 'allow' },
  access: 'full',
  first: 'note',
  operations: {
    note: { type: 'item-create', options: { collection: 'notes', payload: { text: '{{ $trigger.tick }}' } } },
  },
})
// The clock jumps by minutes, and no lease is to be over by that.
const leaseMs = 86_400_000
const flows = createFlows(engine, { flows: [ticking], cron: Cron, clock, pollMs: 10, leaseMs, onError })
await flows.start()
process.stdout.write('started\n')
process.stdin.resume().once('end', () => void flows.stop().then(() => process.exit(0)))
