// The table of statements: read, compared with what was counted, and printed anew with the reasons that it had.
import { countOf } from '../../../bench/forms/counting.ts'
import { doors } from '../../../bench/forms/doors.ts'

/** What a write sends: words for statements, with `+` between those of one round trip. */
export interface Cell {
  readonly form: string
  readonly verb: string
  /** Database and door. */
  readonly place: string
  readonly does: string
}

/** A row of the table: equal cells of a form and verb. */
export interface TableRow extends Omit<Cell, 'place'> {
  readonly places: readonly string[]
  readonly why: string
}

const sizeOf = (does: string) => does.split(/[ +]/).length + does.split(' ').length

export function read(text: string): readonly TableRow[] {
  let form = ''
  return text.split('\n').flatMap((line) => {
    form = /^## (.+)$/.exec(line)?.[1] ?? form
    const [, verb, does, , places, why] = line.split('|').map((cell) => cell.trim())
    if (!verb || !does || !places || verb === 'verb' || verb.startsWith('-')) return []
    return [{ form, verb, does, places: placesIn(places), why: why ?? '' }]
  })
}

/** A sentence for each cell that takes other statements than the table of a test says. */
export function differences(
  cells: readonly Cell[],
  table: readonly TableRow[],
  test: string,
): readonly string[] {
  const printing = `Print the table anew: QUERNEL_PRINT=statements npx vitest run --config all.config.ts test/writes/forms/${test}.test.ts`
  return cells.flatMap(({ form, verb, place, does }) => {
    const known = table.find((row) => row.form === form && row.verb === verb && row.places.includes(place))
    if (known?.does === does) return []
    const title = `${verb} of "${form}" by ${place}`
    if (!known) return [`${title} is missing in ${test}.txt: ${does}. ${printing}`]
    const isLonger = sizeOf(does) > sizeOf(known.does)
    return [
      `${title} takes ${isLonger ? 'more' : 'less'} than before: "${does}" in the place of "${known.does}". ${isLonger ? 'Make it as short as it was.' : printing}`,
    ]
  })
}

/** Rows of several statements whose reason nobody has told. */
export const unexplained = (table: readonly TableRow[]): readonly string[] =>
  table
    .filter(({ does, why }) => /[ +]/.test(does) && why.length < 10)
    .map(({ form, verb, does }) => `Say why ${verb} of "${form}" takes "${does}".`)

/** The table as text. Reasons are kept where the statements are, and left to be told where they are new. */
export function linesOf(cells: readonly Cell[], known: readonly TableRow[], head: string): string {
  const rows = new Map<string, { readonly cell: Cell; readonly places: string[] }>()
  for (const cell of cells) {
    const id = JSON.stringify([cell.form, cell.verb, cell.does])
    const row = rows.get(id) ?? { cell, places: [] }
    row.places.push(cell.place)
    rows.set(id, row)
  }
  const parts = [...new Set(cells.map(({ form }) => form))].map((form) => {
    const verbs = [...new Set(cells.filter((cell) => cell.form === form).map(({ verb }) => verb))]
    const own = verbs.flatMap((verb) =>
      [...rows.values()].filter(({ cell }) => cell.form === form && cell.verb === verb),
    )
    const lines = own.map(({ cell: { verb, does }, places }) => {
      const why = known.find((row) => row.form === form && row.verb === verb && row.does === does)?.why ?? ''
      const { statements, marks, trips } = countOf(does)
      return `| ${verb} | ${does} | ${statements} + ${marks} in ${trips} | ${placesText(places)} | ${why} |`
    })
    return [
      `## ${form}`,
      '',
      '| verb | statements | how many | where | why more than one |',
      '| - | - | - | - | - |',
      ...lines,
    ].join('\n')
  })
  return `${head}\n\n${legend}\n\n${parts.join('\n\n')}\n`
}

const legend = `Printed by the test of the same name; only the last column is typed by hand. \`+\` stands between statements that are sent in one round trip.
"2 + 3 in 4" is two statements and three that begin or end a transaction or savepoint, in four round trips.`

/** Places by database, with doors in their order: \`sqlite id default; postgres id\`. */
function placesText(places: readonly string[]): string {
  const texts = [...new Set(places.map((place) => place.split(' ')[0] ?? ''))].map((database) => {
    const found = doors.filter((door) => places.includes(`${database} ${door}`))
    return `${database} ${found.length === doors.length ? 'all' : found.join(' ')}`
  })
  return texts.join('; ')
}

const placesIn = (text: string): readonly string[] =>
  text.split('; ').flatMap((part) => {
    const [database = '', ...own] = part.split(' ')
    return (own[0] === 'all' ? doors : own).map((door) => `${database} ${door}`)
  })
