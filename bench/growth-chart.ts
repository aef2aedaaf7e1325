// How time grows, as a picture: a panel for each workload, a line for each database, and a dotted one for what is linear.
import type { GrowthOutcome, GrowthPoint } from './growth.ts'
import { itemsOf } from './growth-data.ts'
import { colours, decadesAround, drawing, element, ink, label, line, logScale, text } from './svg.ts'
import { type GrowthWorkload, growthWorkloads } from './workloads.ts'

const width = 760
const panel = { width: 240, height: 210 }
const inner = { left: 40, top: 34, right: 226, bottom: 176 }
const tints = { sqlite: colours[0], postgres: colours[2] } as const

/** What changes from left to right. */
const axes: Readonly<Record<GrowthWorkload, Axis>> = {
  G1: { words: 'rows of a page' },
  G2: { words: 'rows of the table', isFlat: true },
  G3: { words: 'children of an item' },
  G4: { words: 'items of ten trees', amountOf: itemsOf },
  G5: { words: 'callers at once', isFlat: true },
  G6: { words: 'keys of a list' },
  G7: { words: 'conditions compiled' },
}

interface Axis {
  readonly words: string
  readonly amountOf?: (size: number) => number
  /** Whether time should not grow at all. */
  readonly isFlat?: boolean
}

export function growthChart(outcomes: readonly GrowthOutcome[]): string {
  const names = Object.keys(growthWorkloads) as GrowthWorkload[]
  const panels = names.map((workload, at) => {
    const place = `translate(${(at % 3) * (panel.width + 14)} ${24 + Math.floor(at / 3) * panel.height})`
    const own = outcomes.filter((outcome) => outcome.workload === workload)
    return element('g', { transform: place }, ...panelOf(workload, own))
  })
  return drawing(
    { width, height: 24 + Math.ceil(names.length / 3) * panel.height, title: 'Milliseconds by size' },
    legend(),
    ...panels,
  )
}

function panelOf(workload: GrowthWorkload, outcomes: readonly GrowthOutcome[]): readonly string[] {
  const { words, amountOf = (size) => size, isFlat = false } = axes[workload]
  const lines = outcomes.map(({ database, points }) => ({
    database,
    points: points.map(({ size, milliseconds }) => ({ size: amountOf(size), milliseconds })),
  }))
  const points = lines.flatMap(({ points }) => points)
  const sizes = [...new Set(points.map(({ size }) => size))]
  const times = decadesAround(points.map(({ milliseconds }) => milliseconds))
  const ends = [Math.min(...sizes), Math.max(...sizes)] as const
  const x = logScale(ends, [inner.left, inner.right])
  const y = logScale([times[0] ?? 1, times.at(-1) ?? 10], [inner.bottom, inner.top])
  return [
    text(inner.left, 20, `${workload}: ${words}`),
    ...times.map((time) => horizontal(y(time), time)),
    ...sizes.map((size) => text(x(size), inner.bottom + 16, label(size), { 'text-anchor': 'middle' })),
    isFlat ? '' : linear(points, { x, y, floor: times[0] ?? 1, least: ends[0] }),
    ...lines.map(({ database, points }) =>
      element('polyline', {
        points: points
          .map(({ size, milliseconds }) => `${x(size).toFixed(1)},${y(milliseconds).toFixed(1)}`)
          .join(' '),
        fill: 'none',
        stroke: tints[database],
        'stroke-width': 2,
        'stroke-linejoin': 'round',
      }),
    ),
  ]
}

interface Panel {
  readonly x: (size: number) => number
  readonly y: (time: number) => number
  readonly floor: number
  readonly least: number
}

/** What the slowest of all would have taken for less, had it taken equally long for each. */
function linear(points: readonly GrowthPoint[], { x, y, floor, least }: Panel): string {
  const [last] = points.toSorted(
    (one, other) => other.size - one.size || other.milliseconds - one.milliseconds,
  )
  if (last === undefined) return ''
  const each = last.milliseconds / last.size
  const start = Math.max(least, floor / each)
  return line(x(start), y(start * each), x(last.size), y(last.milliseconds), dotted)
}

const dotted = { 'stroke-opacity': 0.8, 'stroke-width': 1.5, 'stroke-dasharray': '1 4' } as const

const horizontal = (y: number, time: number) =>
  line(inner.left, y, inner.right, y) + text(inner.left - 6, y + 4, label(time), { 'text-anchor': 'end' })

function legend(): string {
  const entry = (x: number, tint: string, words: string) =>
    line(x, 12, x + 22, 12, { stroke: tint, 'stroke-opacity': 1, 'stroke-width': 2 }) +
    text(x + 28, 16, words)
  const unit = text(width - 16, 16, 'milliseconds', { 'text-anchor': 'end', fill: ink })
  const guide = line(250, 12, 272, 12, dotted) + text(278, 16, 'linear growth')
  return entry(40, tints.sqlite, 'SQLite') + entry(130, tints.postgres, 'PostgreSQL') + guide + unit
}
