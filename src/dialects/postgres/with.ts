// PostgreSQL as distributed engines speak it: what they lack is left out of the phrases, or said in another way.
import { anything, checkOptions, flag, optionNames } from '../../errors/check-options.ts'
import { fault, quote } from '../../errors/errors.ts'
import type { Dialect } from '../dialect.ts'
import type { Column } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import type { PagePhrases, TransactionPhrases } from '../transaction-phrases.ts'
import { tableText } from './identifiers.ts'
import { listInOrder } from './select.ts'
import { transactionStatus } from './transactions.ts'

/** Differences from PostgreSQL of an engine that speaks its protocol. */
export interface PostgresVariation {
  /** True if aggregates take rows in any order, so that the order of lists has to stand inside them. */
  readonly orderInside?: boolean
  /** False if transactions have no savepoints. A failure inside a nested transaction then ends the whole one. */
  readonly savepoints?: boolean
  /** Guard that keeps the item of a singleton the only one: by locking its table, or by an advisory lock. By default `table`. */
  readonly lock?: 'table' | 'advisory'
  /** False if statements that write return no rows. The keys of new items are then those that are given, or that a sequence made. */
  readonly returning?: boolean
  /** Statements that set up a connection before its first use, such as settings of a session. */
  readonly settings?: readonly Sql[]
  /** The way in which unlimited reads are streamed: by a cursor in a transaction, or page by page. By default `cursor`. */
  readonly streaming?: 'cursor' | 'pages'
}

/** The phrases of PostgreSQL, which can be varied for engines that lack some of them. */
export interface PostgresDialect extends Dialect {
  /** Returns the dialect of an engine that speaks PostgreSQL's protocol and lacks some of its features.
   *  @example createEngine({ db, schema, dialect: postgres.with({ orderInside: true, lock: 'advisory', streaming: 'pages' }) }) */
  readonly with: (variation: PostgresVariation) => Dialect
}

const variations = optionNames<PostgresVariation>({
  orderInside: flag,
  savepoints: flag,
  returning: flag,
  settings: anything,
  lock: anything,
  streaming: anything,
})

export function postgresWith(
  phrases: Dialect,
  comparable: (column: Column) => Sql,
  variation: PostgresVariation,
): Dialect {
  checkOptions(variation, variations)
  const { orderInside = false, savepoints = true, returning = true } = variation
  const lock = oneOf('lock', variation.lock, ['table', 'advisory'])
  const streaming = oneOf('streaming', variation.streaming, ['cursor', 'pages'])
  const { writeTelling: _, ...silent } = phrases
  return {
    ...(returning ? phrases : { ...silent, ...silentWrites }),
    ...(variation.settings && { settings: variation.settings }),
    ...(orderInside && { orderInside, ...listInOrder }),
    ...(!savepoints && { savepoints, transactionStatus: statusWithoutSavepoints }),
    ...(lock === 'advisory' && { lockTable: lockByName }),
    ...(streaming === 'pages' && { streaming: { kind: 'pages', bookmark: bookmarkBy(comparable), sorts } }),
  }
}

function oneOf<Name extends string>(option: string, input: unknown, names: readonly [Name, ...Name[]]): Name {
  const [first] = names
  const found = input === undefined ? first : names.find((name) => name === input)
  if (found !== undefined) return found
  throw fault('INVALID_OPTIONS', `"${option}" is ${names.map(quote).join(' or ')}, not ${quote(input)}.`, {
    path: [option],
  })
}

/** A statement that fails outside of transactions, where each statement begins at the time of its transaction. */
const statusWithoutSavepoints: TransactionPhrases = {
  ...transactionStatus,
  probe: 'select 1 / case when now() = statement_timestamp() then 0 else 1 end',
}

/** Writes that return nothing. The last key of a sequence is that of the connection, whatever others insert. */
const silentWrites: Pick<Dialect, 'returning' | 'generatedKey'> = {
  returning: {},
  generatedKey: (table, column) =>
    sql`select currval(pg_get_serial_sequence(${sql.lit(tableText(table))}, ${sql.lit(column)}))::text as "0"`,
}

const lockByName: NonNullable<Dialect['lockTable']> = (table) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${sql.lit(tableText(table))}, 7310868519))`

/** Engines that lack cursors call the step by other names, too. */
const sorts = (step: string): boolean => /\b(?:sort|top-k)\b/i.test(step)

/** A bookmark of a row: as text, its value has all of its digits. The other side of the comparison decides what it is read as. */
const bookmarkBy =
  (comparable: (column: Column) => Sql): PagePhrases['bookmark'] =>
  (column) => {
    const ordered = comparable(column)
    return { selected: sql`${ordered}::text`, ordered, bound: (value) => value }
  }
