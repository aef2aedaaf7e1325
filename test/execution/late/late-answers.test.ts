// The answer to the k-th step is late, for each k, verb and shape of transaction, beyond the patience of whoever waits: by acquireTimeoutMs, timeoutMs
// or a signal. A caller who was let go is not served behind his back: what was told to have failed is not stored, unless it was said that it may be, or
// the caller's own signal ended the wait for a commit. Afterwards all is as before: connections, and places for others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, isEngineError, listItems } from '../../../src/index.ts'
import { isLong } from '../../support/long-runs.ts'
import { lateDrivers } from './late-driver.ts'
import type { Late, LateLane, Lateness } from './late-lane.ts'
import { lateNetworks } from './late-network.ts'
import { otherVerbs } from './late-other-verbs.ts'
import { createTables, type Notes, schema } from './late-schema.ts'
import { type Part, shapes } from './late-shapes.ts'
import { verbs as usualVerbs, type Verb } from './late-verbs.ts'

interface Patience {
  readonly title: string
  readonly engine: { readonly timeoutMs?: number; readonly acquireTimeoutMs?: number }
  /** Milliseconds after which the caller's signal is aborted, from when the delay begins. */
  readonly abortAfter?: number
  readonly delay: number
}

const patiences: Readonly<Record<string, Patience>> = {
  signal: { title: 'a signal', engine: {}, abortAfter: 5, delay: 60 },
  'signal and timeoutMs': { title: 'a signal', engine: { timeoutMs: 60_000 }, abortAfter: 5, delay: 60 },
  acquireTimeoutMs: { title: 'acquireTimeoutMs', engine: { acquireTimeoutMs: 30 }, delay: 200 },
  'acquireTimeoutMs and timeoutMs': {
    title: 'acquireTimeoutMs and timeoutMs',
    engine: { acquireTimeoutMs: 30, timeoutMs: 60_000 },
    delay: 200,
  },
  // More than any machine takes.
  'all the time': { title: 'nobody', engine: { acquireTimeoutMs: 600_000 }, delay: 0 },
  // A response has a second more.
  timeoutMs: { title: 'timeoutMs', engine: { timeoutMs: 100 }, delay: 1_400 },
}

interface World {
  readonly late: Late
  /** An engine that waits as long as it takes. */
  readonly patient: Notes
  readonly engines: ReadonlyMap<string, Notes>
  readonly heard: Set<string>
}

const verbs: Readonly<Record<string, Verb>> = { ...usualVerbs, ...otherVerbs }
const cases = Object.keys(shapes).flatMap((shape) => Object.keys(verbs).map((verb) => ({ shape, verb })))
const lanes = [...lateDrivers, ...lateNetworks]
/** Verbs that are one statement, which a transaction with a timeout is begun around. */
const isShort = ({ shape, verb }: (typeof cases)[number]) =>
  shape === 'alone' && ['createItem', 'inFlight', 'deleteByQuery without keys'].includes(verb)
/** In `npm test` each of the usual verbs has one shape on each lane, and few of the others, and not every step is late, but of the shortest. */
const isOn = ({ verb }: (typeof cases)[number], at: number, lane: number) => {
  const turns = verb in usualVerbs ? 12 : 60
  return (at + Math.floor(at / Object.keys(verbs).length)) % turns === lane % turns
}
const casesOn = (lane: number) => cases.filter((one, at) => isLong || isShort(one) || isOn(one, at, lane))
/** All of them alone, so that each is done on each lane. */
const doneOn = (lane: number) =>
  cases.filter((one, at) => isLong || one.shape === 'alone' || isOn(one, at, lane))
const strideOf = (one: (typeof cases)[number], patience: string) => {
  if (isLong || isShort(one)) return 1
  return patience === 'timeoutMs' ? 33 : 11
}

describe.each(lanes.map((lane, at) => ({ ...lane, at })))('with $title', ({ at: place, ...lane }) => {
  const worlds: World[] = []
  beforeAll(async () => {
    for (let count = 0; count < lane.worlds; count++) worlds.push(await openWorld(lane))
  })
  afterAll(async () => {
    for (const { late } of worlds) await late.close()
  })
  const patienceNames = Object.keys(patiences).filter(
    (name) => name !== 'all the time' && (lane.hasTimeouts || !name.includes('timeoutMs')),
  )

  it('every verb is done where nothing is late, so that no other test passes by its failure', async () => {
    const waiting = [...doneOn(place)]
    const failures: string[] = []
    await Promise.all(
      worlds.map(async (world) => {
        for (let one = waiting.shift(); one; one = waiting.shift()) {
          const at = Number.POSITIVE_INFINITY
          const seen = await run(world, { ...one, patience: 'all the time', at, how: 'sent' })
          if (!seen.isDone) failures.push(`${one.verb} ${one.shape} is not done: ${seen.told}`)
          failures.push(...seen.failures)
        }
      }),
    )
    expect(failures).toEqual([])
  })

  it.each(patienceNames)('nothing is stored behind the back of who was let go by %s', async (patience) => {
    const waiting = casesOn(place).map((one, index) => ({ ...one, index }))
    const failures: string[] = []
    let lettings = 0
    await Promise.all(
      worlds.map(async (world) => {
        for (let one = waiting.shift(); one; one = waiting.shift())
          for (const how of ['sent', 'heard'] as const) {
            const stride = strideOf(one, patience)
            for (let at = 1; ; at++) {
              if ((at + one.index + (how === 'sent' ? 0 : 3)) % stride !== 0) continue
              const seen = await run(world, { ...one, patience, at, how })
              if (seen.isLetGo) lettings++
              failures.push(...seen.failures)
              if (!seen.isReached) break
            }
          }
      }),
    )
    // By acquireTimeoutMs alone nobody is let go whose connection was free, where the begin goes with the first statement.
    const letsGo = lane.awaitsBegin || patience !== 'acquireTimeoutMs'
    // While the machine stands still, what is late arrives before anybody is let go: then it is later still.
    for (let times = 2; letsGo && lettings === 0 && times < 100; times *= 2) {
      const [world] = worlds
      const one = { shape: 'alone', verb: 'createItem', patience, at: 1, how: 'sent' } as const
      const seen = world && (await run(world, { ...one, times }))
      if (seen?.isLetGo) lettings++
      failures.push(...(seen?.failures ?? []))
    }
    expect(failures).toEqual([])
    if (letsGo) expect(lettings).toBeGreaterThan(0)
  })
})

async function openWorld(lane: LateLane): Promise<World> {
  const late = await lane.open()
  await createTables(lane, late)
  const heard = new Set<string>()
  const engineFor = ({ engine: options }: Patience): Notes => {
    const engine = createEngine({ db: late.db, schema, ...options, onError: () => undefined })
    engine.on('items.create', 'heard', ({ payload }) => ({ ...payload }), { when: 'before' })
    engine.on('items.create', 'heard', ({ payload }) => void heard.add(String(payload?.text)), {
      when: 'after',
    })
    return engine
  }
  const patient = createEngine({ db: late.db, schema, acquireTimeoutMs: 600_000 })
  await patient.install()
  return {
    late,
    patient,
    heard,
    engines: new Map(
      Object.entries(patiences)
        .filter(([, { engine }]) => lane.hasTimeouts || engine.timeoutMs === undefined)
        .map(([name, patience]) => [name, engineFor(patience)]),
    ),
  }
}

interface Run {
  readonly shape: string
  readonly verb: string
  readonly patience: string
  readonly at: number
  readonly how: Lateness
  /** How often the usual delay it is late. */
  readonly times?: number
}

/** What somebody was told. */
type Told = { readonly error: unknown } | 'done'

let marks = 0

async function run({ late, patient, engines, heard }: World, one: Run) {
  const { shape, verb: name, patience: named, at, how, times = 1 } = one
  const [engine, patience, verb, act] = [engines.get(named), patiences[named], verbs[name], shapes[shape]]
  if (!engine || !patience || !verb || !act) throw new Error('There is no such case.')
  const mark = `m${++marks}`
  const keys = (await verb.prepare?.(patient, mark)) ?? []
  const told = new Map<string, Told>()
  const part: Part = async (of, work) => {
    told.set(of, await outcome(work()))
    const failed = told.get(of)
    if (failed !== 'done') throw failed?.error
  }
  const leaving = new AbortController()
  const options = patience.abortAfter === undefined ? {} : { signal: leaving.signal }
  const abort = () => setTimeout(() => leaving.abort(new Error('left')), patience.abortAfter)
  const onBegin = patience.abortAfter === undefined ? {} : { onBegin: abort }
  late.delay({ at, how, milliseconds: patience.delay * times, ...onBegin })
  const whole = await outcome(
    act(engine, mark, (own, given) => verb.act(own, mark, given, keys), part, options),
  )
  const step = await late.settle()
  const shared = late.returnedAtWork()
  const found = async (text: string) =>
    Number(Object.values((await late.look(`select ${text} as n`))[0] ?? {})[0])
  const line = (of: string) => found(`(select count(*) from lines where text = '${of} ${mark}')`)
  const stored = new Map([
    ['first', await line('first')],
    ['verb', (await found(verb.found(mark, keys))) / verb.whole],
    ['last', await line('last')],
  ])
  const commits = step?.commits === true
  const failures = [...judge(whole, told, stored, commits)]
  for (const text of shared) failures.push(`somebody else got the connection while it ran ${text}`)
  if (heard.has(mark) && stored.get('verb') !== 1) failures.push('hooks heard of what is not stored')
  const next = await outcome(listItems(patient, 'tags', { limit: 1 }))
  if (next !== 'done') failures.push(`the next call fails: ${textOf(next)}`)
  const where = `${name} ${shape}, step ${at} ${how} late${commits ? ', which commits' : ''}`
  return {
    isReached: step !== undefined,
    isLetGo: whole !== 'done',
    isDone: [whole, ...told.values()].every((one) => one === 'done'),
    told: [whole, ...told.values()].map(textOf).join(', '),
    failures: failures.map(
      (failure) =>
        `${where}: ${failure} (${textOf(whole)}; ${[...told].map(([of, one]) => `${of}: ${textOf(one)}`).join()})`,
    ),
  }
}

const outcome = (work: Promise<unknown>): Promise<Told> =>
  work.then(
    () => 'done',
    (error: unknown) => ({ error }),
  )

function* judge(
  whole: Told,
  parts: ReadonlyMap<string, Told>,
  stored: ReadonlyMap<string, number>,
  commits: boolean,
): Generator<string> {
  const isDone = whole === 'done'
  for (const [name, count] of stored) {
    const part = parts.get(name)
    if (count !== 0 && count !== 1) yield `${name} is torn`
    if (isDone && part === 'done' && count !== 1) yield `${name} was done and is not stored`
    if (part !== 'done' && count > 0 && !isHonest(part, commits)) yield `${name} has failed and is stored`
    if (!isDone && count > 0 && !isHonest(whole, commits)) yield `${name} is stored, and all has failed`
  }
  for (const told of [whole, ...parts.values()])
    if (saysMayBeStored(told) && !commits) yield 'nothing was committed, and it says that it may be stored'
}

/** True if an error leaves open whether something is stored: by its words, or since the caller's signal ended the wait for a commit. */
function isHonest(told: Told | undefined, commits: boolean): boolean {
  if (told === undefined || told === 'done') return false
  return saysMayBeStored(told) || (commits && !isEngineError(told.error))
}

function saysMayBeStored(told: Told): boolean {
  if (told === 'done') return false
  const { extensions, told: ofGraphQL }: { readonly extensions?: object; readonly told?: object } = Object(
    told.error,
  )
  return Reflect.get(extensions ?? ofGraphQL ?? {}, 'mayBeStored') === true
}

const textOf = (told: Told): string => {
  if (told === 'done') return told
  const {
    code,
    told: ofGraphQL,
    message,
  }: { code?: unknown; told?: { code?: unknown }; message?: unknown } = Object(told.error)
  return `${code ?? ofGraphQL?.code ?? ''} ${message}`
}
