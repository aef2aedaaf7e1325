import type BetterSqlite from 'better-sqlite3'
import { expectTypeOf } from 'vitest'
import type { equipDatabase, NodeSqliteDatabase, Sqlite3Database, sqliteDialect } from '../../src/sqlite.ts'

// `quernel/sqlite` takes databases of both drivers, without knowing the types of either.
type Given = Parameters<typeof sqliteDialect>[0]['database']
expectTypeOf<DatabaseSync>().toExtend<Given>()
expectTypeOf<() => Promise<DatabaseSync>>().toExtend<Given>()
expectTypeOf<DatabaseSync>().toExtend<Parameters<typeof equipDatabase>[0]>()
expectTypeOf<DatabaseSync>().toExtend<NodeSqliteDatabase>()
expectTypeOf<BetterSqlite.Database>().toExtend<Given>()
expectTypeOf<BetterSqlite.Database>().toExtend<Sqlite3Database>()

/** As node:sqlite declares it, from the types of Node 24. */
declare class DatabaseSync {
  constructor(path: string | Buffer | URL, options?: { readonly open?: boolean })
  readonly isOpen: boolean
  readonly isTransaction: boolean
  aggregate(name: string, options: AggregateOptions): void
  aggregate<T extends Bound>(name: string, options: AggregateOptions<T>): void
  close(): void
  exec(sql: string): void
  function(name: string, options: FunctionOptions, fn: (...args: Returned[]) => Bound): void
  function(name: string, fn: (...args: Returned[]) => Bound): void
  prepare(sql: string): StatementSync
}

type Bound = null | number | bigint | string | NodeJS.ArrayBufferView
type Returned = null | number | bigint | string | Uint8Array

interface FunctionOptions {
  deterministic?: boolean | undefined
  directOnly?: boolean | undefined
  useBigIntArguments?: boolean | undefined
  varargs?: boolean | undefined
}

interface AggregateOptions<T extends Bound = Bound> extends FunctionOptions {
  start: T | (() => T)
  step: (accumulator: T, ...args: Returned[]) => T
  result?: ((accumulator: T) => Bound) | undefined
  inverse?: ((accumulator: T, ...args: Returned[]) => T) | undefined
}

declare class StatementSync {
  private constructor()
  all(...anonymousParameters: Bound[]): Record<string, Returned>[]
  all(namedParameters: Record<string, Bound>, ...anonymousParameters: Bound[]): Record<string, Returned>[]
  columns(): { readonly column: string | null; readonly name: string }[]
  iterate(...anonymousParameters: Bound[]): NodeJS.Iterator<Record<string, Returned>>
  iterate(
    namedParameters: Record<string, Bound>,
    ...anonymousParameters: Bound[]
  ): NodeJS.Iterator<Record<string, Returned>>
  run(...anonymousParameters: Bound[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  run(
    namedParameters: Record<string, Bound>,
    ...anonymousParameters: Bound[]
  ): { changes: number | bigint; lastInsertRowid: number | bigint }
  setReadBigInts(enabled: boolean): void
  setReturnArrays(enabled: boolean): void
}
