// A database of which a test knows each read when it has been made, before anybody else does; and a source that tells what a test tells it.
import BetterSqlite from 'better-sqlite3'
import { type Driver, SqliteDialect } from 'kysely'
import type { Source, SourceChange } from '../../src/realtime.ts'

export class DialectBetweenReads extends SqliteDialect {
  readonly #afterRead: (sql: string) => unknown

  /** `afterRead`: called behind each read. Who has asked for it waits. */
  constructor(
    afterRead: (sql: string) => unknown,
    database: BetterSqlite.Database = new BetterSqlite(':memory:'),
  ) {
    super({ database })
    this.#afterRead = afterRead
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const acquire = driver.acquireConnection.bind(driver)
    const known = new WeakSet<object>()
    driver.acquireConnection = async () => {
      const connection = await acquire()
      if (known.has(connection)) return connection
      known.add(connection)
      const ask = connection.executeQuery.bind(connection)
      connection.executeQuery = async (query) => {
        const result = await ask<never>(query)
        if (/^(\/\*.*\*\/ )?select/i.test(query.sql)) await this.#afterRead(query.sql)
        return result
      }
      return connection
    }
    return driver
  }
}

/** A source, and how it is told of changes. */
export function toldSource(): {
  readonly source: Source
  readonly tell: (...changes: SourceChange[]) => void
} {
  let waiting: SourceChange[] = []
  let wake = () => {}
  const source: Source = {
    async *read() {
      for (let position = 1; ; position++) {
        yield { position, changes: waiting.splice(0) }
        while (waiting.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
  const tell = (...changes: SourceChange[]) => {
    waiting = [...waiting, ...changes]
    wake()
  }
  return { source, tell }
}
