// Speed counts only among those who give the same answer.
import { isDeepStrictEqual } from 'node:util'
import type { Entrant } from './contest.ts'
import type { Turn, WorkloadName } from './workloads.ts'

/** Fails unless all answer the same, but for how each of them writes moments and names links. */
export async function checkAgreement(
  workload: WorkloadName,
  entrants: readonly Entrant[],
  turns: readonly Turn[],
): Promise<void> {
  for (const turn of turns) {
    let expected: unknown
    for (const { party, form, run } of entrants) {
      const answer = plain(workload, await run(turn))
      expected ??= answer
      if (isDeepStrictEqual(answer, expected)) continue
      const [difference] = differences(answer, expected, '')
      throw new Error(
        `${workload}: ${party} (${form}) answers something else: ${difference ?? 'another order'}`,
      )
    }
  }
}

function plain(workload: WorkloadName, answer: unknown): unknown {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  const value: unknown = JSON.parse(text, canonical)
  return workload === 'W6' && typeof answer === 'string' ? onlyItem(value) : value
}

/** JSON text of one item comes in the envelope of a list. */
function onlyItem(envelope: unknown): unknown {
  if (typeof envelope !== 'object' || envelope === null || !('data' in envelope)) return envelope
  return Array.isArray(envelope.data) ? envelope.data[0] : envelope.data
}

function canonical(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(12))
  if (typeof value === 'string' && offsetMoment.test(value)) return new Date(value).toISOString()
  // Only Quernel shows the row between an article and its tag.
  if (key === 'tags' && Array.isArray(value))
    return value.map((tag) => ('tags_id' in tag ? tag : { tags_id: tag }))
  return value
}

const offsetMoment = /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/

function* differences(one: unknown, other: unknown, path: string): Generator<string> {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    if (one !== other) yield `${path}: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`
    return
  }
  const [own, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  for (const key of new Set([...own.keys(), ...others.keys()])) {
    yield* differences(own.get(key), others.get(key), `${path}.${key}`)
  }
}
