// Tables of Markdown, of what was measured.
import type { Throughput } from './callers.ts'
import type { Result } from './contest.ts'
import { bestOf, digits, fastestByHand, mostOf, ratioText } from './ratios.ts'

export interface Column<Measured> {
  readonly title: string
  readonly results: readonly Measured[]
}

/** Ratios to the fastest by hand, and its milliseconds below. */
export function ratioTable(columns: readonly Column<Result>[]): string {
  const rows = partiesOf(columns).map((party) => [
    party,
    ...columns.map(({ results }) => ratioText(bestOf(party, results), fastestByHand(results))),
  ])
  const best = columns.map(({ results }) => milliseconds(fastestByHand(results).time))
  return aligned([['', ...columns.map(({ title }) => title)], ...rows, ['hand, ms', ...best]])
}

/** Milliseconds, and in brackets those of the processor. */
export function timeTable(columns: readonly Column<Result>[]): string {
  const cell = (own: Result | undefined) =>
    own ? `${milliseconds(own.time)} (${milliseconds(own.processor)})` : '—'
  const rows = partiesOf(columns).map((party) => [
    party,
    ...columns.map(({ results }) => cell(bestOf(party, results))),
  ])
  return aligned([['', ...columns.map(({ title }) => title)], ...rows])
}

/** Calls per second, and in brackets the milliseconds of the processor that each costs. */
export function crowdTable(columns: readonly Column<Throughput>[]): string {
  const cell = (own: Throughput | undefined) =>
    own ? `${Math.round(own.perSecond)} (${own.processor.toFixed(2)})` : '—'
  const rows = partiesOf(columns).map((party) => [
    party,
    ...columns.map(({ results }) => cell(mostOf(party, results))),
  ])
  return aligned([['', ...columns.map(({ title }) => title)], ...rows])
}

const partiesOf = (columns: readonly Column<{ readonly party: string }>[]): readonly string[] => [
  ...new Set(columns.flatMap(({ results }) => results.map(({ party }) => party))),
]

export const milliseconds = (time: number): string => (time < 1 ? time.toFixed(3) : digits(time, 3))

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
