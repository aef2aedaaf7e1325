// Samples some rows, for columns whose declared type does not determine their values.
import type { TypeGuess } from '../dialects/catalogue.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { render } from '../dialects/sql.ts'
import { fault, quote } from '../errors/errors.ts'
import { execute } from '../execution/execute.ts'
import { databaseOf, phrasesOf } from './read-catalogue.ts'
import type { DraftColumn, TableDraft } from './table-draft.ts'

/** Returns the drafts, with doubtful guesses checked against the rows. */
export async function withSampledRows(
  drafts: readonly TableDraft[],
  db: HostDatabase,
  dialect: Dialect,
  rows = 200,
): Promise<readonly TableDraft[]> {
  if (!Number.isSafeInteger(rows) || rows < 0)
    throw fault('INVALID_OPTIONS', `"sample" is a whole number of rows, not ${quote(rows)}.`, {
      path: ['sample'],
    })
  const { evidence } = phrasesOf(dialect)
  if (!evidence || rows === 0) return drafts
  const doubted = drafts.flatMap((draft) =>
    draft.columns
      .filter((of) => evidence.isNeeded(of.guess) && isOpen(of))
      .map((of) => ({ ...placeOf(draft, of), of })),
  )
  const weighed = new Map<DraftColumn, TypeGuess>()
  const database = databaseOf(db, dialect)
  for (let from = 0; from < doubted.length; from += atOnce) {
    const part = doubted.slice(from, from + atOnce)
    const [found] = await execute(database, render(evidence.statement(part, rows), dialect), {})
    for (const [at, { of }] of part.entries())
      weighed.set(of, evidence.weigh(of.guess, JSON.parse(String(found?.[at]))))
  }
  return drafts.map((draft) => reguessed(draft, weighed))
}

/** Maximum number of columns that one statement samples: D1 returns no more, SQLite by itself 2,000. */
const atOnce = 100

const isOpen = ({ override }: DraftColumn): boolean =>
  override !== false && override?.type === undefined && !(override && 'storage' in override)

const placeOf = ({ table }: TableDraft, { column }: DraftColumn) => ({
  schema: table.schema,
  table: table.name,
  column: column.name,
})

function reguessed(draft: TableDraft, weighed: ReadonlyMap<DraftColumn, TypeGuess>): TableDraft {
  const next = (of: DraftColumn): DraftColumn => ({ ...of, guess: weighed.get(of) ?? of.guess })
  const columns = new Map(draft.columns.map((of) => [of, next(of)]))
  return { ...draft, columns: [...columns.values()], key: draft.key.map((of) => columns.get(of) ?? of) }
}
