// A well-known database, built again for the tests from its published structure.
import { type Kysely, sql } from 'kysely'
import type { AnyTables, TestDatabase } from '../../support/databases.ts'

export interface Sample {
  /** What the databases call their types. */
  readonly words: Readonly<Record<TestDatabase['name'], Readonly<Record<string, string>>>>
  readonly statements: readonly string[]
}

/** Makes the tables of a sample and fills them. */
export async function build(
  { words, statements }: Sample,
  name: TestDatabase['name'],
  db: Kysely<AnyTables>,
): Promise<void> {
  const own = words[name]
  const isWord = new RegExp(`\\b(${Object.keys(own).join('|')})\\b`, 'g')
  await run(db, ...statements.map((statement) => statement.replace(isWord, (word) => own[word] ?? word)))
}

export async function run(db: Kysely<AnyTables>, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
