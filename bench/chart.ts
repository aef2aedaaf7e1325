// Ratios to SQL by hand as a picture: one row for each workload, one mark for each party. Its colours can be read on a light ground and on
// a dark one.
import type { Result } from './contest.ts'
import { bestOf, fastestByHand } from './ratios.ts'

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
const isLeftOut = (party: string): boolean =>
  party.startsWith('hand') ||
  /, (narrowed|related|bare|hooked|validated|adding|watching|listened|recalling|transacting|committing)$/.test(
    party,
  )

export function ratioChart(title: string, rows: readonly ChartRow[]): string {
  const parties = [...new Set(rows.flatMap(({ results }) => results.map(({ party }) => party)))].filter(
    (party) => !isLeftOut(party),
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

type Attributes = Readonly<Record<string, string | number>>

function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const start = `<${name}${written.join('')}`
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}</${name}>`
}

const escaped = (value: string | number) =>
  typeof value === 'number'
    ? String(Math.round(value * 10) / 10)
    : value.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const ink = '#6e7781'
/** By place in a list. */
const colours = ['#2f81f7', '#2f81f7', '#d98c00', '#2ea043', '#a371f7', '#e5534b'] as const

function drawing(
  { width, height, title }: { readonly width: number; readonly height: number; readonly title: string },
  ...children: readonly string[]
): string {
  const frame = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'font-family': 'system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif',
    'font-size': 12,
    fill: ink,
  }
  return `${element('svg', frame, `\n${element('title', {}, escaped(title))}\n`, ...children.map((child) => `${child}\n`))}\n`
}

const text = (x: number, y: number, words: string, more: Attributes = {}) =>
  element('text', { x, y, ...more }, escaped(words))

const line = (x1: number, y1: number, x2: number, y2: number, more: Attributes = {}) =>
  element('line', { x1, y1, x2, y2, stroke: ink, 'stroke-opacity': 0.25, ...more })

/** Where a value lies between two ends, each ten times as far from one as from a tenth of it. */
function logScale(
  [least, most]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  const span = Math.log(most) - Math.log(least)
  return (value) => start + ((Math.log(value) - Math.log(least)) / span) * (end - start)
}

/** A number as a label has it: 0.01, 100, 10k. */
function label(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`
  return value >= 1_000 ? `${value / 1_000}k` : String(Number(value.toPrecision(3)))
}

type Mark = (x: number, y: number, colour: string) => string

const path = (d: string, fill: string) => element('path', { d, fill })

/** By place in a list, so that nobody has to tell colours apart. */
const marks: readonly Mark[] = [
  (cx, cy, fill) => element('circle', { cx, cy, r: 5.5, fill }),
  (cx, cy, stroke) => element('circle', { cx, cy, r: 4.5, fill: 'none', stroke, 'stroke-width': 1.8 }),
  (x, y, fill) => element('rect', { x: x - 4, y: y - 4, width: 8, height: 8, fill }),
  (x, y, fill) => path(`M${at(x)} ${at(y - 5.5)}l5.5 5.5l-5.5 5.5l-5.5 -5.5z`, fill),
  (x, y, fill) => path(`M${at(x)} ${at(y - 5)}l5 9h-10z`, fill),
  (x, y, fill) => path(`M${at(x)} ${at(y + 5)}l5 -9h-10z`, fill),
]

const at = (value: number) => Math.round(value * 10) / 10
