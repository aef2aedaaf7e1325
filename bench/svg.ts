// The few pieces that the charts are drawn with. Their colours can be read on a light ground and on a dark one.

type Attributes = Readonly<Record<string, string | number>>

export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const start = `<${name}${written.join('')}`
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}</${name}>`
}

const escaped = (value: string | number) =>
  typeof value === 'number'
    ? String(Math.round(value * 10) / 10)
    : value.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

export const ink = '#6e7781'
/** By place in a list. */
export const colours = ['#2f81f7', '#2f81f7', '#d98c00', '#2ea043', '#a371f7', '#e5534b'] as const

export function drawing(
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

export const text = (x: number, y: number, words: string, more: Attributes = {}) =>
  element('text', { x, y, ...more }, escaped(words))

export const line = (x1: number, y1: number, x2: number, y2: number, more: Attributes = {}) =>
  element('line', { x1, y1, x2, y2, stroke: ink, 'stroke-opacity': 0.25, ...more })

/** Where a value lies between two ends, each ten times as far from one as from a tenth of it. */
export function logScale(
  [least, most]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  const span = Math.log(most) - Math.log(least)
  return (value) => start + ((Math.log(value) - Math.log(least)) / span) * (end - start)
}

/** The powers of ten within two ends, and what lies around them. */
export function decadesAround(values: readonly number[]): readonly number[] {
  const [first, last] = [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ]
  return Array.from({ length: Math.max(1, last - first) + 1 }, (_, at) => 10 ** (first + at))
}

/** A number as a label has it: 0.01, 100, 10k. */
export function label(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`
  return value >= 1_000 ? `${value / 1_000}k` : String(Number(value.toPrecision(3)))
}

type Mark = (x: number, y: number, colour: string) => string

const path = (d: string, fill: string) => element('path', { d, fill })

/** By place in a list, so that nobody has to tell colours apart. */
export const marks: readonly Mark[] = [
  (cx, cy, fill) => element('circle', { cx, cy, r: 5.5, fill }),
  (cx, cy, stroke) => element('circle', { cx, cy, r: 4.5, fill: 'none', stroke, 'stroke-width': 1.8 }),
  (x, y, fill) => element('rect', { x: x - 4, y: y - 4, width: 8, height: 8, fill }),
  (x, y, fill) => path(`M${at(x)} ${at(y - 5.5)}l5.5 5.5l-5.5 5.5l-5.5 -5.5z`, fill),
  (x, y, fill) => path(`M${at(x)} ${at(y - 5)}l5 9h-10z`, fill),
  (x, y, fill) => path(`M${at(x)} ${at(y + 5)}l5 -9h-10z`, fill),
]

const at = (value: number) => Math.round(value * 10) / 10
