// Says at the end of a run how much time of the processor its files took. A run of all of them fails at one that took more than its share.
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'
import { mostOfAll, slow } from '../slow.ts'

export default class ProcessorReport implements Reporter {
  readonly #isWhole: boolean
  #files = 0

  constructor({ isWhole = false } = {}) {
    this.#isWhole = isWhole
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
    // Shares of a few files say nothing.
    if (!this.#isWhole || this.#files < least) return
    for (const { file, time } of taken) {
      if (time <= all * mostOfAll || file in slow) continue
      console.error(
        ` ${file} takes ${Math.round((time / all) * 1_000) / 10} % of the processor's time: make it shorter, or say in test/slow.ts what it alone finds.`,
      )
      process.exitCode = 1
    }
  }
}

const least = 500
const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`
