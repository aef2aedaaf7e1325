// How much longer than by hand everybody takes, as a picture: one row for each workload, one mark for each party.
import type { Result } from './contest.ts'
import { bestOf, fastestByHand } from './ratios.ts'
import { colours, drawing, element, ink, label, line, logScale, marks, text } from './svg.ts'

export interface ChartRow {
  readonly title: string
  readonly results: readonly Result[]
}

const width = 760
const left = 56
const right = width - 16
const top = 64
const step = 28
const ticks = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500] as const

/** Who takes part in so few workloads that a mark would say nothing. */
const leftOut = ['hand', 'quernel, narrowed']

export function ratioChart(title: string, rows: readonly ChartRow[]): string {
  const parties = [...new Set(rows.flatMap(({ results }) => results.map(({ party }) => party)))].filter(
    (party) => !leftOut.includes(party),
  )
  const ratios = rows.map(({ title, results }) => ({
    title,
    ratios: parties.map((party) => ratioOf(party, results)),
  }))
  const most = Math.max(...ratios.flatMap(({ ratios }) => ratios.map((ratio) => ratio ?? 1)))
  const shown = ticks.filter((tick) => tick <= (ticks.find((tick) => tick >= most) ?? 500))
  const x = logScale([0.5, shown.at(-1) ?? 500], [left, right])
  const bottom = top + step * rows.length
  return drawing(
    { width, height: bottom + 28, title },
    legend(parties),
    ...shown.map((tick) => gridLine(x(tick), bottom, tick)),
    ...ratios.flatMap(({ title, ratios }, row) => {
      const y = top + step * (row + 0.5)
      return [
        text(left - 12, y + 4, title, { 'text-anchor': 'end' }),
        // Quernel comes last, and so lies above the others.
        ...ratios.map((ratio, party) => markOf(party, ratio, x, y)).reverse(),
      ]
    }),
  )
}

function ratioOf(party: string, results: readonly Result[]): number | undefined {
  const own = bestOf(party, results)
  return own && own.time / fastestByHand(results).time
}

function gridLine(x: number, bottom: number, tick: number): string {
  const isHand = tick === 1
  const strength = isHand ? { 'stroke-opacity': 0.9, 'stroke-width': 1.5 } : {}
  const words = text(x, bottom + 18, isHand ? '1 = by hand' : label(tick), { 'text-anchor': 'middle' })
  return line(x, top, x, bottom, strength) + words
}

function markOf(party: number, ratio: number | undefined, x: (value: number) => number, y: number): string {
  if (ratio === undefined) return ''
  return marks[party]?.(x(Math.max(0.5, ratio)), y, colours[party] ?? ink) ?? ''
}

function legend(parties: readonly string[]): string {
  const wide = (width - 32) / parties.length
  const entries = parties.map((party, at) => {
    const x = 20 + at * wide
    return `${marks[at]?.(x, 22, colours[at] ?? ink) ?? ''}${text(x + 12, 26, party)}`
  })
  return element('g', {}, ...entries)
}
