// The program of a thread that reads a file. `build-pages.ts` bundles it into a text, so that it goes wherever a bundler puts this package.
import { createRequire } from 'node:module'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { fault } from '../../../errors/errors.ts'
import { equipDatabase } from '../equip.ts'
import { type SqliteModule, sqliteModules } from '../installed.ts'
import { guardedBy } from './guard.ts'
import {
  abandoned,
  called,
  type ReaderFailure,
  type ReaderMessage,
  type ReaderSettings,
  type ReaderStatement,
  type ThreadSettings,
} from './messages.ts'

type ReaderDatabase = ReturnType<typeof equipDatabase>

const settings: ThreadSettings = workerData

function begin(): ReaderMessage {
  const openFile = opener(settings)
  if (typeof openFile !== 'function')
    return { kind: 'unfit', lacks: 'driver', failure: failureOf(openFile?.cause) }
  const { path, statements, guard, signals } = settings
  const file = openFile(path, true)
  // A result that is no value fails the statement. An error that is thrown would hang Deno.
  const ask = () => (Atomics.load(signals, abandoned) === 0 ? 1 : ({} as never))
  file.function(guard, { deterministic: false, useBigIntArguments: true }, ask)
  const database = equipDatabase(file, statements === undefined ? {} : { statements })
  const textOf = guardedBy(guard, database)
  const [mode] = database.prepare('pragma journal_mode').all([])
  const journal = String(Object.values(Object(mode))[0])
  if (journal !== 'wal') return { kind: 'unfit', lacks: 'wal', journal }
  return serve(({ sql, parameters }) => resultOf(database, { sql: textOf(sql, parameters), parameters }))
}

/** Sleeps until there is a statement. To wait for it in the loop of events would take a third of the way there and back. */
function serve(run: (statement: ReaderStatement) => ReaderMessage): never {
  send({ kind: 'ready' })
  for (;;) {
    Atomics.wait(settings.signals, called, 0)
    Atomics.store(settings.signals, called, 0)
    const received = receiveMessageOnPort(settings.port)
    if (received) send(run(received.message))
  }
}

/** Returns what opens files by a driver that is found, or why none is. */
function opener({ places, driver }: ReaderSettings): ReturnType<SqliteModule['opener']> | { cause: unknown } {
  let cause: unknown
  for (const one of sqliteModules) {
    for (const place of places)
      try {
        const loaded = createRequire(place)(driver ?? one.name)
        const openFile = one.opener({ default: loaded, ...loaded })
        if (openFile) return openFile
      } catch (error) {
        cause ??= error
      }
  }
  return { cause }
}

function resultOf(database: ReaderDatabase, { sql, parameters }: ReaderStatement): ReaderMessage {
  try {
    const statement = database.prepare(sql)
    if (statement.reader) return { kind: 'rows', rows: statement.all(parameters) }
    statement.run(parameters)
    return { kind: 'rows', rows: [] }
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error) }
  }
}

function failureOf(error: unknown): ReaderFailure {
  const { name, message, code, errcode, errstr } = Object(error)
  // Errors of better-sqlite3 are none that pass between threads.
  return { error: fault('INTERNAL_SERVER_ERROR', String(message)), name, code, errcode, errstr }
}

function send(message: ReaderMessage): void {
  try {
    parentPort?.postMessage(message)
  } catch (error) {
    parentPort?.postMessage({ kind: 'failed', failure: failureOf(error) })
  }
}

try {
  send(begin())
} catch (error) {
  send({ kind: 'failed', failure: failureOf(error) })
}
