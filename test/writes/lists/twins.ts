// Databases with the same rows, in which the same calls are made on different roads.
import { sql } from 'kysely'
import { createEngine, type Engine, isEngineError, type Schema } from '../../../src/index.ts'
import { judging } from '../../../src/writes/context/row-template.ts'
import type { databases, OpenDatabase } from '../../support/databases.ts'

/** One of several databases with the same rows. */
export interface Twin {
  readonly db: OpenDatabase['db']
  readonly engine: Engine<Schema>
  /** The statements since they were emptied. */
  readonly texts: string[]
  readonly run: (text: string) => Promise<readonly unknown[]>
}

export async function openTwin(
  open: (typeof databases)[number]['open'],
  tables: readonly string[],
  settings: Omit<Parameters<typeof createEngine>[0], 'db'>,
): Promise<Twin> {
  const { db } = await open()
  const texts: string[] = []
  const run = async (text: string) => (await sql.raw(text).execute(db)).rows
  for (const text of tables) await run(text)
  const engine = createEngine({
    ...settings,
    db,
    onQuery: ({ sql: text }) => texts.push(text),
  }) as Engine<Schema>
  return { db, engine, texts, run }
}

/** Keys that a sequence counts have gaps behind what was given up. */
export const counted = 1_000

/** Tables whose generated keys are not among the given ones. */
export const withCountedKeys = (database: string, tables: readonly string[]): readonly string[] =>
  database === 'postgres'
    ? tables
    : [
        ...tables.map((text) => text.replace(/^(create table notes .*? primary key)/, '$1 autoincrement')),
        `insert into sqlite_sequence select 'notes', ${counted} where not exists (select 1 from sqlite_sequence where name = 'notes')`,
        `update sqlite_sequence set seq = ${counted} where name = 'notes'`,
      ]

export type Outcome = { readonly answer: unknown } | { readonly error: unknown }

/** What a call answers, or the errors that it ends with. */
export async function outcomeOf(call: () => Promise<unknown>, isByStatement: boolean): Promise<Outcome> {
  judging.isByStatement = isByStatement
  try {
    return { answer: (await call()) ?? null }
  } catch (error) {
    if (!isEngineError(error)) throw error
    const all = error.errors ?? [error]
    return {
      error: all.map(({ code, path, message, extensions }) => ({ code, path, message, extensions })),
    }
  } finally {
    judging.isByStatement = true
  }
}

/** True if statements of many rows wrote what a call has stored: no attempt was given up. */
export const isWrittenTogether = (texts: readonly string[]): boolean =>
  texts.some((text) => writes.test(text) && isOfMany(text)) &&
  !texts.some((text) => writes.test(text) && !isOfMany(text) && !marks.test(text))

/** An update that marks the owner of a set as changed. */
const marks = / set ("\w+") = \1 where /

/** Rows with values of their own are a table of the statement. One of rows that get the same says when it writes nothing. */
const isOfMany = (text: string): boolean => text.includes('"_given"') || text.includes(' and not (')

/** A lock of the rows may stand before an update of them. */
const writes = /^(?:\/\*.*?\*\/ )?(?:insert|(?:with .*?\) )?update) /
