// Compares what came out with what is to be reached. All goals are ratios to the best that was written by hand.
import type { AssetOutcome } from './assets.ts'
import type { Throughput } from './callers.ts'
import type { Result } from './contest.ts'
import { base } from './documents/document-parties.ts'
import type { DocumentOutcome } from './documents/measure-documents.ts'
import goals from './goals.json' with { type: 'json' }
import type { GrowthOutcome } from './growth.ts'
import type { IntrospectionOutcome } from './introspection.ts'
import type { MillionOutcome } from './million.ts'
import { bestOf, fastestByHand, fastestOf, leastOf, mostOf } from './ratios.ts'
import type { Outcome } from './reads.ts'
import type { ServedOutcome } from './served.ts'
import type { FileOutcome } from './served-files.ts'
import type { WriteOutcome } from './writes.ts'

/** Runs differ by so much; only beyond it a goal counts as missed. */
const noise = 1.1

/** A sentence for each goal that Quernel missed. */
export function missedGoals(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap((outcome) => {
    const compared = [...objectGoals(outcome), ...textGoals(outcome), ...crowdGoals(outcome.crowd)]
    return missed(`${outcome.workload} on ${outcome.database}`, compared)
  })
}

const missed = (place: string, compared: readonly Compared[]): readonly string[] =>
  compared
    .filter(({ ratio, goal, isTie }) => ratio > (isTie ? goal : goal * noise))
    .map(
      ({ what, ratio, goal }) =>
        `Missed: ${place}, ${what}: × ${ratio.toFixed(2)} instead of × ${goal.toFixed(2)}.`,
    )

/** The same for what is written. */
export function missedWrites(outcomes: readonly WriteOutcome[]): readonly string[] {
  return outcomes.flatMap(({ database, workload, results, crowd }) => {
    const own = bestOf('quernel', results)
    if (!own) return []
    const time = {
      what: 'time',
      ratio: own.time / fastestByHand(results).time,
      goal: goals.writes[database][workload],
    }
    return missed(`${workload} on ${database}`, [
      time,
      ...ruledGoals('narrowed', results, goalOf(workload, goals.narrowedWrites)),
      ...ruledGoals('related', results, goalOf(workload, goals.relatedWrites)),
      ...Object.entries(goals.besideBare).flatMap(([kind, goal]) => beside('bare', kind, results, goal)),
      ...Object.entries(goals.besideTransaction).flatMap(([kind, goal]) =>
        beside('transacting', kind, results, goal),
      ),
      ...rivalGoals(results),
      ...crowdGoals(crowd),
      ...narrowedCrowdGoals(crowd),
    ])
  })
}

const goalOf = (name: string, table: Readonly<Record<string, number>>): number | undefined => table[name]

/** Rules, beside the same rules in statements by hand. */
function ruledGoals(kind: string, results: readonly Result[], goal?: number): readonly Compared[] {
  const [own, hand] = [bestOf(`quernel, ${kind}`, results), bestOf(`hand, ${kind}`, results)]
  return own && hand && goal ? [{ what: kind, ratio: own.time / hand.time, goal }] : []
}

/** Hooks, validations and listeners, beside the same call without them. */
function beside(base: string, kind: string, results: readonly Result[], goal: number): readonly Compared[] {
  const [own, other] = [bestOf(`quernel, ${kind}`, results), bestOf(`quernel, ${base}`, results)]
  return own && other ? [{ what: `${kind} beside ${base}`, ratio: own.time / other.time, goal }] : []
}

/** The same for a first introspection, beside one that repeats it. */
export function missedIntrospection(outcomes: readonly IntrospectionOutcome[]): readonly string[] {
  return outcomes.flatMap(({ database, results }) => {
    const [first, again] = [bestOf('quernel, first', results), bestOf('quernel', results)]
    if (!first || !again) return []
    const ratio = first.time / again.time
    return missed(`I1 on ${database}`, [
      { what: 'first beside repeated', ratio, goal: goals.firstIntrospection },
    ])
  })
}

/** The same for what is served: what a request costs the server. */
export function missedServed(outcomes: readonly ServedOutcome[]): readonly string[] {
  return outcomes.flatMap(({ database, crowd }) => {
    const own = leastOf('quernel', crowd)
    const compared = Object.entries(goals.served).flatMap(([party, goal]) => {
      const best = leastOf(party, crowd)
      return own && best
        ? [{ what: `processor next to ${party}`, ratio: own.processor / best.processor, goal }]
        : []
    })
    return missed(`H3 on ${database}`, compared)
  })
}

/** The same for files over HTTP. */
export function missedFiles(outcomes: readonly FileOutcome[]): readonly string[] {
  return outcomes.flatMap(({ workload, crowd }) => {
    const [own, best] = [leastOf('quernel', crowd), leastOf('hand', crowd)]
    const ratio = own && best ? own.processor / best.processor : 0
    return missed(workload, [{ what: 'processor', ratio, goal: goals.files[workload] }])
  })
}

/** The same for documents: ratios to the functions that answer without GraphQL, and times of what is asked for the first time. */
export function missedDocuments(outcomes: readonly DocumentOutcome[]): readonly string[] {
  return outcomes.flatMap(({ database, workload, results }) => {
    const own = bestOf('quernel', results)
    if (!own) return []
    const place = `${workload} on ${database}`
    if (workload === 'DN') return slower(place, results, goals.newCaller)
    if (workload === 'DF') return slower(place, results, goals.firstDocument)
    // The others' statements are prepared before the document comes.
    if (workload === 'DC') return slower(place, [own], goals.coldDocument)
    const narrowed = bestOf('quernel, narrowed', results)
    const ratios = [
      { what: 'time', ratio: own.time / fastestOf(base, results).time, goal: goals.documents[workload] },
      ...(narrowed
        ? [{ what: 'by a rule instead of a filter', ratio: narrowed.time / own.time, goal: goals.narrowed }]
        : []),
    ]
    return missed(place, [...ratios, ...rivalGoals(results)])
  })
}

/** A sentence for each form that takes longer than so many milliseconds. */
const slower = (place: string, results: readonly Result[], goal: number): readonly string[] =>
  results
    .filter(({ time }) => time > goal * noise)
    .map(({ form, time }) => `Missed: ${place}, ${form}: ${time.toFixed(2)} ms instead of ${goal} ms.`)

/** The same for what grows: milliseconds by size, of rules in a new object. */
export function missedGrowth(outcomes: readonly GrowthOutcome[]): readonly string[] {
  return outcomes
    .filter(({ workload }) => workload === 'G8')
    .flatMap(({ workload, points }) =>
      points.flatMap(({ size, time }) => {
        const goal = goalOf(String(size), goals.freshRules)
        if (goal === undefined || time <= goal * noise) return []
        return [`Missed: ${workload}, ${size} collections: ${time.toFixed(2)} ms instead of ${goal} ms.`]
      }),
    )
}

/** The same for a million rows. */
export function missedMillion(outcomes: readonly MillionOutcome[]): readonly string[] {
  return outcomes.flatMap(({ workload, results }) => {
    const own = bestOf('quernel', results)
    const ratio = own ? own.time / fastestByHand(results).time : 0
    return missed(workload, [{ what: 'time', ratio, goal: goals.million[workload] }])
  })
}

/** The same for pictures: next to who stores what is made anew, and to who reads what was made before. */
export function missedAssets(outcomes: readonly AssetOutcome[]): readonly string[] {
  return outcomes.flatMap(({ workload, results }) => {
    const own = bestOf('quernel', results)
    const best = bestOf('hand, stored', results) ?? fastestByHand(results)
    const ratio = own ? own.time / best.time : 0
    const goal = workload === 'A4' ? goals.storedPicture : goals.assets[workload]
    if (ratio <= goal * noise) return []
    return [`Missed: ${workload}: × ${ratio.toFixed(2)} instead of × ${goal.toFixed(2)}.`]
  })
}

interface Compared {
  readonly what: string
  readonly ratio: number
  readonly goal: number
  /** Whether the goal has room for noise in it. */
  readonly isTie?: boolean
}

function objectGoals({ database, workload, objects }: Outcome): readonly Compared[] {
  const best = fastestByHand(objects)
  const own = bestOf('quernel', objects)
  if (own === undefined) return []
  const narrowed = bestOf('quernel, narrowed', objects)
  return [
    { what: 'time', ratio: own.time / best.time, goal: goals.reads[database][workload] },
    { what: 'processor', ratio: own.processor / best.processor, goal: goals.processor },
    ...(narrowed
      ? [{ what: 'by a rule instead of a filter', ratio: narrowed.time / own.time, goal: goals.narrowed }]
      : []),
    ...rivalGoals(objects),
  ]
}

/** Nobody else may be ahead beyond a tie. Who has rules is compared with Quernel where it has the same ones. */
function rivalGoals(results: readonly Result[]): readonly Compared[] {
  return results.filter(isRival).flatMap((rival) => {
    const own = bestOf(kinOf(rival.party), results)
    return own
      ? [{ what: `next to ${rival.party}`, ratio: own.time / rival.time, goal: goals.tie, isTie: true }]
      : []
  })
}

const isRival = ({ party }: { readonly party: string }): boolean =>
  !party.startsWith('hand') && !party.startsWith('quernel')

/** Quernel with the rules that a rival has. */
const kinOf = (rival: string): string => rival.replace(/^.*?(?=(, narrowed|, related)?$)/, 'quernel')

function textGoals({ database, workload, texts }: Outcome): readonly Compared[] {
  const own = bestOf('quernel', texts)
  const goal = Object.entries(goals.text[database]).find(([name]) => name === workload)?.[1]
  if (own === undefined || goal === undefined) return []
  const time = { what: 'JSON text', ratio: own.time / fastestByHand(texts).time, goal }
  return [time, ...rivalGoals(texts).map((each) => ({ ...each, what: `JSON text ${each.what}` }))]
}

function crowdGoals(crowd: readonly Throughput[]): readonly Compared[] {
  const [own, best] = [mostOf('quernel', crowd), mostOf('hand', crowd)]
  if (own === undefined || best === undefined) return []
  const what = 'time with many callers'
  const rivals = crowd.filter(isRival).flatMap((rival) => {
    const kin = mostOf(kinOf(rival.party), crowd)
    if (!kin) return []
    const ratio = rival.perSecond / kin.perSecond
    return [{ what: `${what} next to ${rival.party}`, ratio, goal: goals.tie, isTie: true }]
  })
  return [{ what, ratio: best.perSecond / own.perSecond, goal: 1 / goals.callers }, ...rivals]
}

function narrowedCrowdGoals(crowd: readonly Throughput[]): readonly Compared[] {
  const [own, best] = [mostOf('quernel, narrowed', crowd), mostOf('hand, narrowed', crowd)]
  if (own === undefined || best === undefined) return []
  const ratio = best.perSecond / own.perSecond
  return [{ what: 'narrowed, time with many callers', ratio, goal: 1 / goals.narrowedCallers }]
}
