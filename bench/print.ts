import { callers, type Throughput } from './callers.ts'
import type { Result } from './contest.ts'
import { bestOf, mostOf } from './ratios.ts'

export function printResults(title: string, results: readonly Result[]): void {
  const best = bestOf('hand', results)
  console.log(`\n${title}`)
  for (const { party, form, time, processor } of results) {
    const cells = [
      `  ${party}: ${form}`.padEnd(40),
      `${time.toFixed(3)} ms`.padStart(12),
      best ? `× ${(time / best.time).toFixed(2)}`.padStart(10) : '',
      `processor ${processor.toFixed(3)} ms`.padStart(22),
      best ? `× ${(processor / best.processor).toFixed(2)}`.padStart(10) : '',
    ]
    console.log(cells.join(''))
  }
}

export function printThroughput(title: string, results: readonly Throughput[]): void {
  const best = mostOf('hand', results)?.perSecond ?? Number.NaN
  console.log(`\n${title}, ${callers} callers at once`)
  for (const { party, form, perSecond, processor } of results) {
    const cells = [
      `  ${party}: ${form}`.padEnd(40),
      `${Math.round(perSecond)} a second`.padStart(16),
      `${Math.round((100 * perSecond) / best)} %`.padStart(8),
      `processor ${processor.toFixed(3)} ms`.padStart(22),
    ]
    console.log(cells.join(''))
  }
}
