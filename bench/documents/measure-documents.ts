// D1 to DF: what is asked as a GraphQL document. The answer is JSON text, made in this process.
import { answersWithin } from '../callers.ts'
import { contest, type Entrant, type Result } from '../contest.ts'
import { type Counts, countsFor } from '../data.ts'
import type { DatabaseName, Options } from '../options.ts'
import { openPlace, takesPart } from '../parties.ts'
import { printResults } from '../tables.ts'
import { type DocumentWorkload, turnAt } from '../workloads.ts'
import { checkDocumentAgreement } from './agreement.ts'
import { base, openDocumentParties } from './document-parties.ts'
import type { AskedWorkload, DocumentParty } from './document-party.ts'
import { measureFirstDocument } from './first-document.ts'
import { measureNewCallers } from './new-callers.ts'

export interface DocumentOutcome {
  readonly database: DatabaseName
  readonly workload: DocumentWorkload
  readonly results: readonly Result[]
}

export async function measureDocuments(options: Options): Promise<readonly DocumentOutcome[]> {
  const { documents, seconds } = options
  const asked = documents.filter((workload) => workload !== 'DN' && workload !== 'DF')
  const outcomes: DocumentOutcome[] = []
  for (const database of asked.length > 0 ? options.databases : [])
    outcomes.push(...(await measuredOn(database, asked, options)))
  // It has little to do with a database.
  const hasNewCallers = documents.includes('DN') && options.databases.includes('sqlite')
  if (hasNewCallers && takesPart('quernel', options.parties)) {
    const results = await measureNewCallers(seconds)
    printResults('DN on sqlite', results)
    outcomes.push({ database: 'sqlite', workload: 'DN', results })
  }
  const hasFirst = documents.includes('DF') && options.databases.includes('sqlite')
  if (hasFirst && takesPart('quernel', options.parties)) {
    const results = await measureFirstDocument(seconds)
    printResults('DF on sqlite', results)
    outcomes.push({ database: 'sqlite', workload: 'DF', results })
  }
  return outcomes
}

async function measuredOn(
  database: DatabaseName,
  workloads: readonly AskedWorkload[],
  { rows, parties: only, seconds }: Options,
): Promise<readonly DocumentOutcome[]> {
  const counts = countsFor(rows)
  const { place, close } = await openPlace(database, counts)
  const outcomes: DocumentOutcome[] = []
  try {
    const parties = await openDocumentParties(database, place, only)
    await warmUp(parties, counts, seconds)
    for (const workload of workloads) {
      const entrants = entrantsOf(parties, workload)
      if (entrants.length === 0) continue
      const turn = (call: number) => turnAt(call, counts)
      await checkDocumentAgreement(workload, entrants, [turn(0), turn(7)])
      const results = await contest(entrants, turn, seconds)
      printResults(`${workload} on ${database}`, results, base)
      outcomes.push({ database, workload, results })
    }
    for (const party of parties) await party.close()
  } finally {
    await close()
  }
  return outcomes
}

const entrantsOf = (parties: readonly DocumentParty[], workload: AskedWorkload): readonly Entrant[] =>
  parties.flatMap(({ name, form, answers }) => {
    const run = answers[workload]
    return run ? [{ party: name, form, run }] : []
  })

/** A server runs for long: what reads documents is compiled after some thousand of them. */
async function warmUp(parties: readonly DocumentParty[], counts: Counts, seconds: number): Promise<void> {
  for (const { answers } of parties)
    for (const [run, share] of [
      [answers.D6, 60],
      [answers.D3, 60],
      [answers.DC, 250],
    ] as const)
      if (run) await answersWithin((call) => run(turnAt(call, counts)), 1, seconds * share)
}
