// Prints every measure; with `--check` it fails when one misses its goal.
import { missedGoals } from './goals.ts'
import { measureLanguage } from './language-goals.ts'
import { readOptions } from './options.ts'
import { writePage } from './page.ts'
import { measureReads } from './reads.ts'

const options = readOptions(process.argv.slice(2))
const missed = options.isWhole ? measureLanguage() : []
const outcomes = await measureReads(options)
if (options.write) writePage(outcomes)
missed.push(...missedGoals(outcomes))
for (const sentence of missed) console.error(sentence)
if (missed.length > 0 && options.check) process.exitCode = 1
