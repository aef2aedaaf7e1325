// A text in its colours, with marks under what errors are about.

import { element } from './elements.ts'
import type { TextProblem } from './json-problem.ts'

export interface ColouredRange {
  readonly kind: string
  readonly start: number
  readonly end: number
}

/** A part of the text that an error is about. */
export interface Mark extends TextProblem {
  /** True while the user points to the error. */
  readonly isShown?: boolean
}

export function colouredText(
  text: string,
  ranges: readonly ColouredRange[],
  marks: readonly Mark[],
): readonly Node[] {
  const edges = new Set([0, text.length])
  for (const { start, end } of [...ranges, ...marks]) edges.add(start).add(end)
  const sorted = [...edges].filter((edge) => edge <= text.length).sort((one, other) => one - other)
  let next = 0
  return sorted.slice(0, -1).map((start, index) => {
    const end = sorted[index + 1] ?? start
    while ((ranges[next]?.end ?? text.length) <= start && next < ranges.length) next++
    const range = ranges[next]
    const mark = marks.find((one) => one.start <= start && end <= one.end)
    const kind = range && range.start <= start ? range.kind : ''
    const piece = text.slice(start, end)
    if (!mark && kind === '') return document.createTextNode(piece)
    return element('span', { class: `${kind}${mark ? ` mark${mark.isShown ? ' shown' : ''}` : ''}` }, piece)
  })
}
