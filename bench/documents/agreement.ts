// Speed counts only among those who give the same answer.
import { isDeepStrictEqual } from 'node:util'
import type { Entrant } from '../contest.ts'
import type { Turn } from '../workloads.ts'

/** Fails unless all answer the same, but for how each of them writes keys and timestamps and names what it answers. */
export async function checkDocumentAgreement(
  workload: string,
  entrants: readonly Entrant[],
  turns: readonly Turn[],
): Promise<void> {
  for (const turn of turns) {
    let expected: { readonly party: string; readonly answer: unknown } | undefined
    for (const { party, run } of entrants) {
      const answer = answerIn(String(await run(turn)))
      expected ??= { party, answer }
      if (isDeepStrictEqual(answer, expected.answer)) continue
      throw new Error(
        `${workload}: ${party} answers ${start(answer)} instead of ${start(expected.answer)} of ${expected.party}.`,
      )
    }
  }
}

const start = (answer: unknown) => JSON.stringify(answer).slice(0, 1_200)

/** GraphQL answers below the name of the field, `listItemsJson` below `data`, and `getItem` with the item alone. */
function answerIn(text: string): unknown {
  const whole: unknown = JSON.parse(text, canonical)
  const data = only('data', whole) ?? whole
  return only('articles', data) ?? only('articles_by_id', data) ?? only('data', data) ?? data
}

const only = (name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.keys(value).join() === name
    ? Object.values(value)[0]
    : undefined

/** GraphQL has keys as texts. PostgreSQL writes timestamps with their offset. An alias is in cold documents only. */
function canonical(key: string, value: unknown): unknown {
  if (key === 'id') return String(value)
  if (key.startsWith('title_')) return undefined
  if (typeof value === 'string' && offsetTimestamp.test(value)) return new Date(value).toISOString()
  return value
}

const offsetTimestamp = /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/
