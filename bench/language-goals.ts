import goals from './goals.json' with { type: 'json' }
import { measures } from './language.ts'

/** Prints what the language costs, and gives a sentence for each goal that was missed. */
export function measureLanguage(): string[] {
  const missed: string[] = []
  for (const [name, measure] of Object.entries(measures)) {
    const [median, goal] = [measure(), goalOf(name)]
    console.log(`${name.padEnd(44)} ${median.toFixed(4).padStart(9)} ms   goal ${goal} ms`)
    if (median > goal) missed.push(`Missed: ${name} took ${median.toFixed(4)} ms instead of ${goal} ms.`)
  }
  return missed
}

function goalOf(name: string): number {
  const goal = Object.entries(goals.language).find(([key]) => key === name)?.[1]
  if (goal === undefined) throw new Error(`goals.json has no goal for "${name}"`)
  return goal
}
