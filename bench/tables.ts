// The one printer: tables of what was measured, for the terminal and for the page.
import { callers, type Throughput } from './callers.ts'
import type { Result } from './contest.ts'
import type { GrowthPoint } from './growth-data.ts'
import { bestOf, digits, fastestOf, mostOf, ratioText } from './ratios.ts'

/** Prints a table below its title. */
export function print(title: string, table: string): void {
  console.log(`\n${title}\n${table}`)
}

/** Prints every form of a contest, with its ratios to the fastest form by hand, or of another base. */
export function printResults(title: string, results: readonly Result[], base = 'hand'): void {
  const best = bestOf(base, results)
  const rows = results.map(({ party, form, time, processor }) => [
    `${party}: ${form}`,
    milliseconds(time),
    best ? (time / best.time).toFixed(2) : none,
    milliseconds(processor),
    best ? (processor / best.processor).toFixed(2) : none,
  ])
  print(title, aligned([['', 'ms', 'ratio', 'processor, ms', 'ratio'], ...rows]))
}

/** Prints every form with many callers, with its share of the fastest form by hand, or of another base. */
export function printThroughput(title: string, results: readonly Throughput[], base = 'hand'): void {
  const best = mostOf(base, results)?.perSecond ?? Number.NaN
  const rows = results.map(({ party, form, perSecond, processor }) => [
    `${party}: ${form}`,
    String(Math.round(perSecond)),
    `${Math.round((100 * perSecond) / best)} %`,
    milliseconds(processor),
  ])
  print(
    `${title}, ${callers} callers at once`,
    aligned([['', 'per second', `of ${base}`, 'processor, ms'], ...rows]),
  )
}

export interface Column<Measured> {
  readonly title: string
  readonly results: readonly Measured[]
}

/** Ratios to the fastest by hand, or of another base, and its milliseconds below. */
export function ratioTable(columns: readonly Column<Result>[], base = 'hand'): string {
  const best = columns.map(({ results }) => milliseconds(fastestOf(base, results).time))
  const rows = rowsOf(columns, (party, results) =>
    ratioText(bestOf(party, results), fastestOf(base, results)),
  )
  return aligned([...rows, [`${base}, ms`, ...best]])
}

/** Milliseconds, and in brackets those of the processor. */
export function timeTable(columns: readonly Column<Result>[]): string {
  const rows = rowsOf(columns, (party, results) => {
    const own = bestOf(party, results)
    return own ? `${milliseconds(own.time)} (${milliseconds(own.processor)})` : none
  })
  return aligned(rows)
}

/** Calls per second, and in brackets the milliseconds of the processor that each costs. */
export function throughputTable(columns: readonly Column<Throughput>[]): string {
  const rows = rowsOf(columns, (party, results) => {
    const own = mostOf(party, results)
    return own ? `${Math.round(own.perSecond)} (${own.processor.toFixed(2)})` : none
  })
  return aligned(rows)
}

/** Milliseconds by size: a row for each curve. */
export function growthTable(
  curves: readonly { readonly title: string; readonly points: readonly GrowthPoint[] }[],
): string {
  const sizes = curves[0]?.points.map(({ size }) => size.toLocaleString('en')) ?? []
  const rows = curves.map(({ title, points }) => [title, ...points.map((point) => milliseconds(point.time))])
  return aligned([['', ...sizes], ...rows])
}

/** The head, and a row for each party. */
function rowsOf<Measured extends { readonly party: string }>(
  columns: readonly Column<Measured>[],
  cell: (party: string, results: readonly Measured[]) => string,
): readonly (readonly string[])[] {
  const parties = new Set(columns.flatMap(({ results }) => results.map(({ party }) => party)))
  const rows = [...parties].map((party) => [party, ...columns.map(({ results }) => cell(party, results))])
  return [['', ...columns.map(({ title }) => title)], ...rows]
}

const none = '—'

const milliseconds = (time: number): string => (time < 1 ? time.toFixed(3) : digits(time, 3))

/** A table of Markdown whose columns line up. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
