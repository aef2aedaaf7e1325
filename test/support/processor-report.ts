// Says at the end of a run how much time of the processor its files took. A run of all of them fails at one that took more than its share.
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'
import { slow } from '../slow.ts'

interface Limit {
  /** The share of all time that one file takes at most, unless it is listed. */
  readonly most: number
  /** Shares of fewer files say nothing. */
  readonly files: number
}

export default class ProcessorReport implements Reporter {
  readonly #limit: Limit
  #files = 0

  constructor(limit: Limit = { most: 1, files: 0 }) {
    this.#limit = limit
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const taken = modules
      .map((module) => ({
        file: module.relativeModuleId.replace(/^test\//, ''),
        time: module.meta().processor ?? 0,
      }))
      .sort((one, other) => other.time - one.time)
    const all = taken.reduce((sum, { time }) => sum + time, 0)
    const first = taken.slice(0, 5).map(({ file, time }) => `${file} ${seconds(time)}`)
    console.log(` Processor  ${seconds(all)} in ${taken.length} files, most in ${first.join(', ')}\n`)
    const { most, files } = this.#limit
    if (this.#files < files) return
    for (const { file, time } of taken) {
      if (time <= all * most || file in slow) continue
      console.error(
        ` ${file} takes ${Math.round((time / all) * 1_000) / 10} % of the processor's time: make it shorter, or say in test/slow.ts what it alone finds.`,
      )
      process.exitCode = 1
    }
  }
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`
