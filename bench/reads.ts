import { checkAgreement } from './agreement.ts'
import { type Throughput, throughput } from './callers.ts'
import { contest, entrants, type Result } from './contest.ts'
import { type Counts, countsFor } from './data.ts'
import type { DatabaseName, Options } from './options.ts'
import { type Field, openField } from './parties.ts'
import { printResults, printThroughput } from './tables.ts'
import { turnAt, type WorkloadName } from './workloads.ts'

/** What came out for one workload on one database. */
export interface Outcome {
  readonly database: DatabaseName
  readonly workload: WorkloadName
  readonly objects: readonly Result[]
  readonly texts: readonly Result[]
  /** With many callers at once, where that was measured. */
  readonly crowd: readonly Throughput[]
}

/** Runs the contests that the options choose, printing as it goes. */
export async function measureReads(options: Options): Promise<readonly Outcome[]> {
  const counts = countsFor(options.rows)
  const outcomes: Outcome[] = []
  for (const database of options.databases) {
    const field = await openField(database, counts, options.parties)
    try {
      for (const workload of options.workloads) {
        outcomes.push(await outcomeOf({ database, workload, field, counts, seconds: options.seconds }))
      }
    } finally {
      await field.close()
    }
  }
  return outcomes
}

const crowded: readonly WorkloadName[] = ['W1', 'W3', 'W6', 'W7']

interface ReadContest extends Pick<Outcome, 'database' | 'workload'> {
  readonly field: Field
  readonly counts: Counts
  readonly seconds: number
}

async function outcomeOf({ database, workload, field, counts, seconds }: ReadContest): Promise<Outcome> {
  const turn = (call: number) => turnAt(call, counts)
  const [objects, texts] = [
    entrants(field.parties, 'objects', workload),
    entrants(field.parties, 'texts', workload),
  ]
  await checkAgreement(workload, [...objects, ...texts], [turn(0), turn(7)])
  const title = `${workload} on ${database}`
  const objectResults = await contest(objects, turn, seconds)
  printResults(title, objectResults)
  const textResults = texts.length > 0 ? await contest(texts, turn, seconds / 2) : []
  if (texts.length > 0) printResults(`${title}, as JSON text`, textResults)
  const isCrowded = database === 'postgres' && crowded.includes(workload)
  const crowd = isCrowded ? await throughput(objects, turn, seconds * 2) : []
  if (isCrowded) printThroughput(title, crowd)
  return { database, workload, objects: objectResults, texts: textResults, crowd }
}
