// Options of readers, and the files that they refuse. These few lines are loaded without readers, too; the rest comes with the first read.
import { resultOf } from '../../../dialects/sqlite/result-codes.ts'
import { type OptionKind, optionNames, text } from '../../../errors/check-options.ts'
import { type EngineError, fault, isEngineError } from '../../../errors/errors.ts'
import type { equipDatabase } from '../equip.ts'

/** Threads that read. */
export interface ReaderThreads {
  /** Number of threads, from 1 to 64. By default 2. Each takes some 9 MB once it is needed. */
  readonly threads?: number
  /** Folder of the package `better-sqlite3`, where a bundler or an installer has put it elsewhere: threads load it by themselves. */
  readonly driver?: string
}

/** A number of threads. */
export const threadCount: OptionKind = {
  says: 'is a whole number from 1 to 64',
  holds: (input) => typeof input === 'number' && Number.isInteger(input) && input >= 1 && input <= 64,
}

export const threadOptions = optionNames<ReaderThreads>({ threads: threadCount, driver: text })

/** Returns the path of the file of a connection. A file that threads cannot read beside it is refused. */
export function pathOf(database: ReturnType<typeof equipDatabase>): string {
  const path = ['readers']
  try {
    const files = database.once('pragma database_list') as readonly Readonly<Record<string, unknown>>[] // as SQLite documents it
    const file = files.find(({ name }) => name === 'main')?.file
    if (typeof file !== 'string' || file === '') throw fault('INVALID_OPTIONS', inMemory, { path })
    const [mode] = database.once('pragma journal_mode')
    const journal = String(Object.values(Object(mode))[0])
    if (journal !== 'wal') throw withoutWal(journal, path)
    return file
  } catch (error) {
    throw isEngineError(error) ? error : unreadable(error, path)
  }
}

export const inMemory = 'Readers want a file: no thread can read a database in memory, or a temporary one.'

/** Returns the error for a file in which a reader would keep the writer waiting. */
export const withoutWal = (journal: string, path: readonly string[]): EngineError =>
  fault(
    'INVALID_OPTIONS',
    `Readers want a file in WAL mode, and the journal mode of this one is "${journal}".`,
    { path, hint: 'pragma journal_mode = wal, once for each file.' },
  )

/** Returns the error for a file that a driver cannot open. */
export const unreadable = (cause: unknown, path: readonly string[]): EngineError =>
  resultOf(cause).name === 'SQLITE_NOTADB'
    ? fault('INVALID_OPTIONS', 'The file is encrypted, or no database of SQLite.', { path, cause })
    : fault('INVALID_OPTIONS', 'The file cannot be opened for reading.', {
        path,
        hint: 'A reader needs the file, and "-wal" and "-shm" beside it or the right to create them.',
        cause,
      })
