import { median } from '../median.ts'
import type { MeasuredCell } from './measure-cell.ts'

/** The worst and the median of each form, by verb. */
export function summaryOf(outcomes: readonly MeasuredCell[]): readonly (readonly string[])[] {
  const verbs = [...new Set(outcomes.map(({ cell }) => cell.verb))]
  const rows = [...new Set(outcomes.map(({ cell }) => cell.form))].map((form) => {
    const own = outcomes.filter(({ cell }) => cell.form === form)
    const cells = verbs.map((verb) => worstAndMedian(own.filter(({ cell }) => cell.verb === verb)))
    return [form, ...cells, worstAndMedian(own)]
  })
  return [['worst (median)', ...verbs, 'all'], ...rows]
}

function worstAndMedian(outcomes: readonly MeasuredCell[]): string {
  const ratios = outcomes.map(({ ratio }) => ratio)
  return ratios.length === 0 ? '—' : `${Math.max(...ratios).toFixed(1)} (${median(ratios).toFixed(1)})`
}
