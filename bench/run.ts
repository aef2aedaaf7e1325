// Prints every measure; with `--check` it fails when one is over its goal.
import { readFileSync } from 'node:fs'
import { measures } from './language.ts'

const goals: unknown = JSON.parse(readFileSync(new URL('./goals.json', import.meta.url), 'utf8'))
const goalOf = (name: string): number => {
  const goal =
    typeof goals === 'object' && goals !== null
      ? Object.entries(goals).find(([key]) => key === name)?.[1]
      : undefined
  if (typeof goal !== 'number') throw new Error(`goals.json has no goal for "${name}"`)
  return goal
}

let missed = 0
for (const [name, measure] of Object.entries(measures)) {
  const [median, goal] = [measure(), goalOf(name)]
  if (median > goal) missed++
  console.log(
    `${name.padEnd(44)} ${median.toFixed(4).padStart(9)} ms   goal ${goal} ms${median > goal ? '   MISSED' : ''}`,
  )
}
if (missed > 0 && process.argv.includes('--check')) {
  console.error(`${missed} of the goals were missed.`)
  process.exitCode = 1
}
