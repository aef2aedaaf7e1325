// Samples some rows, for columns whose declared type does not determine their values.
import type { EvidencePhrases, SampledColumns, TypeGuess } from '../dialects/catalogue.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { render, type Sql } from '../dialects/sql.ts'
import { fault, quote } from '../errors/errors.ts'
import { execute } from '../execution/execute.ts'
import { databaseOf, phrasesOf } from './read-catalogue.ts'
import type { DraftColumn, TableDraft } from './remark.ts'

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
  const database = databaseOf(db, dialect)
  const ask: Ask = async (tables, { phrase, columns = Number.POSITIVE_INFINITY }) => {
    const cells: unknown[] = []
    for (const part of grouped(tables, columns)) {
      const [row] = await execute(database, render(phrase(part), dialect), {})
      cells.push(...part.map((_, at) => row?.[at]))
    }
    return cells
  }
  return reguessed(drafts, await weighed(sampled(drafts, evidence), evidence, rows, ask))
}

/** Sends a phrase for tables, and returns the cells of their answers. `columns`: how many of them one statement reads. */
type Ask = (
  tables: readonly Sampled[],
  by: { readonly phrase: (tables: readonly Sampled[]) => Sql; readonly columns?: number },
) => Promise<readonly unknown[]>

interface Sampled extends SampledColumns {
  /** A view without rows costs as much as one with rows. */
  readonly isView: boolean
  readonly columns: readonly SampledColumn[]
}

interface SampledColumn {
  readonly name: string
  readonly guess: TypeGuess
  readonly of: DraftColumn
}

/** The columns whose rows have to be looked at. A wide table stands in several parts. */
function sampled(drafts: readonly TableDraft[], { isNeeded }: EvidencePhrases): readonly Sampled[] {
  return drafts.flatMap(({ table, columns }) => {
    const open = columns.filter((of) => isNeeded(of.guess) && isOpen(of))
    const all = open.map((of) => ({ name: of.column.name, guess: of.guess, of }))
    const place = { schema: table.schema, table: table.name, isView: table.kind === 'view' }
    return Array.from({ length: Math.ceil(all.length / columnsOfPart) }, (_, at) => ({
      ...place,
      columns: all.slice(at * columnsOfPart, (at + 1) * columnsOfPart),
    }))
  })
}

/** Looks at as little as possible: at the kinds of values only in columns whose type is doubtful, or that hold exceptions. */
async function weighed(
  tables: readonly Sampled[],
  evidence: EvidencePhrases,
  rows: number,
  ask: Ask,
): Promise<ReadonlyMap<DraftColumn, TypeGuess>> {
  const stored = tables.filter(({ isView }) => !isView)
  const areFilled = await ask(stored, { phrase: evidence.hasRows })
  const filled = [
    ...tables.filter(({ isView }) => isView),
    ...stored.filter((_, at) => Number(areFilled[at]) === 1),
  ]
  const doubtful = columnsWhere(filled, ({ guess }) => guess.doubt !== undefined)
  const certain = columnsWhere(filled, ({ guess }) => guess.doubt === undefined)
  const phrase = (part: readonly Sampled[]) => evidence.hasExceptions(part, rows)
  const haveExceptions = await ask(certain, { phrase, columns: 750 })
  const read = [...doubtful, ...certain.filter((_, at) => Number(haveExceptions[at]) === 1)]
  const kinds = await ask(read, { phrase: (part) => evidence.kinds(part, rows), columns: 2 * columnsOfPart })
  const guessed = read.flatMap((table, index) => {
    const lists = JSON.parse(String(kinds[index])) as readonly (readonly string[])[] // as the phrase writes it
    return table.columns.map((column, at) => {
      const guess = evidence.weigh(column.guess, lists[at] ?? [])
      return { ...table, columns: [{ ...column, guess }] as const }
    })
  })
  const checked = await withChecks(guessed, evidence, ask)
  return new Map(checked.map(({ columns: [{ of, guess }] }) => [of, guess]))
}

interface GuessedColumn extends Sampled {
  readonly columns: readonly [SampledColumn]
}

/** Rows that are looked at for a CHECK. */
const rowsChecked = 10_000

/** Adds to guesses the CHECK that their columns meet. */
async function withChecks(
  guessed: readonly GuessedColumn[],
  evidence: EvidencePhrases,
  ask: Ask,
): Promise<readonly GuessedColumn[]> {
  const checkOf = ({ columns: [{ name, guess }], isView }: GuessedColumn) =>
    isView ? undefined : evidence.checkOf(name, guess)
  const candidates = guessed.filter((column) => checkOf(column) !== undefined)
  const met = await ask(candidates, { phrase: (part) => evidence.meetChecks(part, rowsChecked) })
  const meeting = new Set(candidates.filter((_, at) => Number(met[at]) === 1))
  return guessed.map((column) => {
    const check = meeting.has(column) ? checkOf(column) : undefined
    const [one] = column.columns
    return check === undefined ? column : { ...column, columns: [{ ...one, guess: { ...one.guess, check } }] }
  })
}

const columnsWhere = (tables: readonly Sampled[], holds: (column: SampledColumn) => boolean) =>
  tables.flatMap((of) => {
    const columns = of.columns.filter(holds)
    return columns.length > 0 ? [{ ...of, columns }] : []
  })

/** Tables for one statement each. D1 returns 100 cells, and takes 100 kB of text. */
function grouped(tables: readonly Sampled[], max: number): readonly (readonly Sampled[])[] {
  const groups: Sampled[][] = []
  let [group, width]: [Sampled[], number] = [[], 0]
  for (const table of tables) {
    if (group.length === 0 || group.length === 100 || width + table.columns.length > max) {
      group = []
      width = 0
      groups.push(group)
    }
    group.push(table)
    width += table.columns.length
  }
  return groups
}

/** Maximum number of columns of one subselect: D1 has expressions of 100 levels. */
const columnsOfPart = 30

const isOpen = ({ override }: DraftColumn): boolean =>
  override !== false && override?.type === undefined && !(override && 'storage' in override)

function reguessed(
  drafts: readonly TableDraft[],
  weighed: ReadonlyMap<DraftColumn, TypeGuess>,
): readonly TableDraft[] {
  return drafts.map((draft) => {
    const next = (of: DraftColumn): DraftColumn => ({ ...of, guess: weighed.get(of) ?? of.guess })
    const columns = new Map(draft.columns.map((of) => [of, next(of)]))
    return { ...draft, columns: [...columns.values()], key: draft.key.map((of) => columns.get(of) ?? of) }
  })
}
