import type { Filter, Outcome } from './table.ts'

/** One line for each filter that selects something else in SQL than in memory: which rows too many, which too few. */
export function disagreements(
  filters: readonly Filter[],
  outcomes: readonly Outcome[],
  inMemory: (filter: Filter) => Outcome,
): string[] {
  return filters.flatMap((filter, index) => {
    const [found, expected] = [outcomes[index] ?? 'nothing', inMemory(filter)]
    return JSON.stringify(found) === JSON.stringify(expected)
      ? []
      : [`${written(filter)}: ${difference(found, expected)}`]
  })
}

function difference(found: Outcome, expected: Outcome): string {
  if (typeof found === 'string' || typeof expected === 'string')
    return `SQL ${short(found)}, memory ${short(expected)}`
  return `too many ${short(found.filter((id) => !expected.includes(id)))}, too few ${short(expected.filter((id) => !found.includes(id)))}`
}

/** JSON, with big integers as such. */
export const written = (filter: Filter): string =>
  JSON.stringify(filter, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))

const short = (outcome: Outcome) => JSON.stringify(outcome).slice(0, 160)
