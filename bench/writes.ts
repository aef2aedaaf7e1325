// W9 and W10: what is written is taken away again, so each contestant finds the same table. They take turns like the readers do, and
// answer the keys of what they have written or deleted.
import { type Throughput, throughput } from './callers.ts'
import { contest, type Entrant, type Result } from './contest.ts'
import { type Ground, type GroundKind, groundKinds } from './grounds/ground.ts'
import { postgresGround } from './grounds/postgres-ground.ts'
import { sqliteGround } from './grounds/sqlite-ground.ts'
import type { DatabaseName, Options } from './options.ts'
import { takesPart } from './parties.ts'
import { printResults, printThroughput } from './tables.ts'
import { type WriteWorkload, writeWorkloads } from './workloads.ts'
import { turns } from './written.ts'
import { checkRefused, checkWritten } from './written-agreement.ts'

export interface WriteOutcome {
  readonly database: DatabaseName
  readonly workload: WriteWorkload
  readonly results: readonly Result[]
  /** With many callers at once, where that was measured. */
  readonly crowd: readonly Throughput[]
}

export async function measureWrites(options: Options): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = []
  for (const database of options.databases) {
    const measured: WriteOutcome[] = []
    for (const kind of groundKinds) measured.push(...(await measuredOn(database, kind, options)))
    for (const workload of options.writes) {
      const own = measured.filter((outcome) => outcome.workload === workload)
      const results = own.flatMap(({ results }) => results)
      outcomes.push({ database, workload, results, crowd: own.flatMap(({ crowd }) => crowd) })
    }
  }
  return outcomes
}

const grounds = { sqlite: sqliteGround, postgres: postgresGround } as const satisfies Record<
  DatabaseName,
  unknown
>

interface Kind {
  readonly title: string
  readonly workloads: readonly string[]
  /** What the others are compared with. */
  readonly base: string
}

const kinds: Readonly<Record<GroundKind, Kind>> = {
  alone: { title: '', workloads: Object.keys(writeWorkloads), base: 'hand' },
  related: { title: ', through memberships', workloads: ['W9a', 'W9u', 'W10d'], base: 'hand, related' },
  watched: { title: ', watched', workloads: ['W9a', 'W9b', 'W9u', 'W10'], base: 'quernel, bare' },
}

async function measuredOn(
  database: DatabaseName,
  kind: GroundKind,
  options: Options,
): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = []
  if (!options.writes.some((workload) => kinds[kind].workloads.includes(workload))) return outcomes
  const ground = await grounds[database](kind)
  try {
    for (const workload of options.writes) {
      const entrants = entrantsOf(ground, workload, options)
      if (entrants.length > 0)
        outcomes.push(await outcomeOf({ database, kind, workload, ground, entrants }, options))
    }
  } finally {
    for (const { close } of ground.writers) await close?.()
    await ground.close()
  }
  return outcomes
}

interface WriteContest extends Pick<WriteOutcome, 'database' | 'workload'> {
  readonly kind: GroundKind
  readonly ground: Ground
  readonly entrants: readonly Entrant[]
}

async function outcomeOf(
  { database, kind, workload, ground, entrants }: WriteContest,
  { seconds }: Options,
): Promise<WriteOutcome> {
  if (!workload.startsWith('W9') || isUpdate(workload)) await ground.prepare()
  if (workload === 'W9q') await ground.fill()
  if (named.has(workload)) turns.keys = await ground.numbers('select id from written order by id')
  await checkWritten(entrants, ground, workload)
  await checkRefused(entrants, ground, workload)
  const title = `${workload} on ${database}${kinds[kind].title}`
  const results = await contest(entrants, () => noTurn, seconds)
  printResults(title, results, kinds[kind].base)
  const inCrowd =
    database === 'postgres' && kind === 'alone' ? entrants.filter(crowds[workload] ?? nobody) : []
  const crowd = inCrowd.length > 0 ? await throughput(inCrowd, () => noTurn, seconds * 2) : []
  if (inCrowd.length > 0) printThroughput(title, crowd, workload === 'W9u' ? 'hand, narrowed' : 'hand')
  await ground.clear()
  return { database, workload, results, crowd }
}

/** Workloads that name items by their keys. */
const named: ReadonlySet<WriteWorkload> = new Set(['W9u', 'W9p', 'W9pb'])
const isUpdate = (workload: WriteWorkload) => workload === 'W9q' || named.has(workload)

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

/** Who is measured with many callers at once. */
const crowds: Partial<Readonly<Record<WriteWorkload, (entrant: Entrant) => boolean>>> = {
  W9a: () => true,
  W9u: ({ party }) => party.endsWith(', narrowed') || party === 'hand, RLS',
}
const nobody = () => false

function entrantsOf(
  { writers, fill, fillOne, settle }: Ground,
  workload: WriteWorkload,
  { parties }: Options,
): readonly Entrant[] {
  const before = { W9q: settle, W10d: fillOne, W10: fill, W10k: fill }
  const found = Object.entries(before).find(([name]) => name === workload)?.[1]
  const chosen = writers.filter(({ name }) => takesPart(name, parties))
  return chosen.flatMap(({ name, forms }) =>
    Object.entries(forms).flatMap(([form, { [workload]: run }]) =>
      run ? [{ party: name, form, run, ...(found && { before: found }) }] : [],
    ),
  )
}
