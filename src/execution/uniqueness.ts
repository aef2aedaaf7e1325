// Uniqueness of columns, as databases have reported it. A table that keeps them unique is asked once; one that does not is asked again, because
// it may be given an index.

import { type ReliedColumns, render, sql } from '../dialects/sql.ts'
import { fault } from '../errors/errors.ts'
import type { Row } from '../rows/row.ts'
import type { Database } from './database.ts'
import type { BoundStatement } from './statement.ts'
import { TableFacts } from './table-facts.ts'

/** Guarantee of a database about the values of some columns, where none is null. */
export interface Uniqueness {
  /** True if no two rows have the same values. */
  readonly areUnique: boolean
  /** True if these columns, and no fewer, are those of a key or an index, which compares values as the columns do. */
  readonly areKey: boolean
}

/** Columns that are known to be unique. */
const unique = new TableFacts<Uniqueness | undefined>()

type Table = ReliedColumns['table']
type UniquenessReader = Pick<Database, 'home' | 'dialect'>

const nameOf = (columns: readonly string[]): string => [...columns].sort().join('\n')

/** Returns what is known of some columns; undefined before the database has said that they are unique. */
export const knownUniqueness = (
  table: Table,
  columns: readonly string[],
  database: UniquenessReader,
): Uniqueness | undefined => unique.get(table, nameOf(columns), database)

/** Asks whether some columns are unique; undefined if the database never promises that. */
export function uniquenessStatement(
  table: Table,
  columns: readonly string[],
  { dialect }: UniquenessReader,
): BoundStatement | undefined {
  const phrases = dialect.catalogue?.uniqueness?.(table, columns)
  if (!phrases || columns.length === 0) return undefined
  const cells = [phrases.areUnique, phrases.areKey].map(
    // A number, which every driver returns as one.
    (cell, at) => sql`case when ${cell} then 1 else 0 end as ${dialect.identifier(String(at))}`,
  )
  return render(sql`select ${sql.join(cells, sql`, `)}`, dialect)
}

/** Reads the answer, and keeps a good one. */
export function noteUniqueness(
  table: Table,
  columns: readonly string[],
  row: Row | undefined,
  database: UniquenessReader,
): Uniqueness {
  const found = { areUnique: Number(row?.[0]) === 1, areKey: Number(row?.[1]) === 1 }
  if (found.areUnique) unique.set(table, nameOf(columns), database, found)
  return found
}

/** Lets the database be asked again: a statement that relied on its answer has failed. */
export function forgetUniqueness(
  table: Table,
  columns: readonly string[],
  database: Pick<Database, 'home'>,
): void {
  unique.set(table, nameOf(columns), database, undefined)
}

/** Asks for the columns on which a statement relies, and throws if they are not unique. Undefined if all are known to be: a join by others would
 *  multiply rows. */
export function confirmed(
  { relies = [] }: Pick<BoundStatement, 'relies'>,
  database: UniquenessReader,
  ask: (statement: BoundStatement) => readonly Row[] | Promise<readonly Row[]>,
): Promise<void> | undefined {
  const unsure = relies.filter(({ table, columns }) => !knownUniqueness(table, columns, database))
  if (unsure.length === 0) return undefined
  return confirmAll(unsure, database, ask)
}

async function confirmAll(
  relies: readonly ReliedColumns[],
  database: UniquenessReader,
  ask: (statement: BoundStatement) => readonly Row[] | Promise<readonly Row[]>,
): Promise<void> {
  for (const relied of relies) {
    const { table, columns } = relied
    const statement = uniquenessStatement(table, columns, database)
    const [row] = statement ? await ask(statement) : []
    if (!noteUniqueness(table, columns, row, database).areUnique) throw notUnique(relied)
  }
}

const notUnique = ({ relation }: ReliedColumns) =>
  fault(
    'INVALID_OPTIONS',
    `The database does not keep the columns unique to which ${relation} refers, so that relation cannot be followed.`,
    {
      hint: 'Create a unique index on them, over all rows and with their collation, or leave the relation out.',
    },
  )
