// R1, R2, R4 and R15: what one change costs while thousands watch, each with rules and a filter of its own.
import { type Access, createItem, deleteItem, updateItem } from 'quernel'
import { type FeedMessage, watchItems } from 'quernel/realtime'
import { Audience, openFeed, pause, type WatchedFeed } from './audience.ts'
import { type Figure, type Measuring, type Processor, processorOf, share } from './figures.ts'
import { ofTenant, tenantsOf, type Watched, type WatchedGround } from './ground.ts'

type Schema = Watched['schema']

/** A change, and how many messages follow from it. */
interface Change {
  readonly write: (engine: Watched) => Promise<unknown>
  readonly messages: number
}

/** Some subscribers, and changes of what they watch, one after another. */
interface Scene {
  readonly watch: (feed: WatchedFeed, caller: number) => ReturnType<typeof watchItems>
  readonly changes: { readonly [kind: string]: (turn: number) => Change }
}

/** Rules by the tenant of the caller, which an index finds. */
export const tenantRules = { tickets: { read: { filter: { tenant: { _eq: '$CURRENT_ROLE' } } } } } as const
/** Rules without any equality. */
const otherRules = { tickets: { read: { filter: { tenant: { _neq: '$CURRENT_USER' } } } } } as const
const memberRules = {
  tasks: { read: { filter: { project: { members: { _some: { person: { _eq: '$CURRENT_USER' } } } } } } },
  projects: { read: true },
  members: { read: true },
} as const

const match = { membership: 'match' } as const
const fields = ['id', 'title', 'amount', 'changed'] as const
/** How far the range of a filter of R2 goes. */
const breadth = 10

/** The caller of a tenant. */
export const tenantCaller = (caller: number, callers: number): Access<Schema> => ({
  user: caller + callers,
  role: caller % tenantsOf(callers),
  rules: tenantRules,
})

export const scenes = {
  R1: (callers) => ({
    watch: (feed, caller) =>
      watchItems(
        feed.as(tenantCaller(caller, callers)),
        'tickets',
        { fields, filter: { amount: { _gte: caller } } },
        match,
      ),
    changes: { change: ticketChange(callers, (amount, tenant) => sharersOf(tenant, callers, amount)) },
  }),
  R2: (callers) => ({
    watch: (feed, caller) =>
      watchItems(
        // No tenant has so great a number.
        feed.as({ user: caller + callers, rules: otherRules }),
        'tickets',
        { fields, filter: { amount: { _between: [caller, caller + breadth - 1] } } },
        match,
      ),
    changes: {
      change: ticketChange(callers, (amount) =>
        Array.from({ length: breadth }, (_, below) => amount - below).filter((caller) => caller >= 0),
      ),
    },
  }),
  R4: (callers) => ({
    watch: (feed, caller) =>
      watchItems(feed.as({ user: caller, rules: memberRules }), 'tasks', { fields: ['id', 'title'] }, match),
    changes: memberChanges(callers),
  }),
  R15: (callers) => ({
    watch: (feed, caller) =>
      watchItems(
        feed.as({ user: caller, rules: otherRules }),
        'tickets',
        { fields, filter: { id: caller + 1 } },
        match,
      ),
    changes: {
      change: (turn) => ({
        write: (engine) =>
          updateItem(engine, 'tickets', 1 + ((turn * 7_919) % callers), {
            title: `Turn ${turn}`,
            changed: turn,
          }),
        messages: 1,
      }),
    },
  }),
} as const satisfies Readonly<Record<string, (callers: number) => Scene>>

/** Callers of a tenant whose filter an amount meets. */
const sharersOf = (tenant: number, callers: number, amount: number): readonly number[] =>
  Array.from({ length: ofTenant }, (_, at) => tenant + at * tenantsOf(callers)).filter(
    (caller) => caller <= amount,
  )

/** Gives a ticket another amount: told to those who see it before or after. */
function ticketChange(callers: number, seenBy: (amount: number, tenant: number) => readonly number[]) {
  const amounts = new Map<number, number>()
  return (turn: number): Change => {
    const id = 1 + ((turn * 7_919) % callers)
    const tenant = id % tenantsOf(callers)
    const before = amounts.get(id) ?? (id * 7_919) % callers
    const amount = (turn * 104_729) % callers
    amounts.set(id, amount)
    return {
      write: (engine) => updateItem(engine, 'tickets', id, { amount, title: `Turn ${turn}`, changed: turn }),
      messages: new Set([...seenBy(before, tenant), ...seenBy(amount, tenant)]).size,
    }
  }
}

/** Lets a caller become a member of a project, and no longer be one. */
function memberChanges(callers: number): Scene['changes'] {
  const made: unknown[] = []
  return {
    comes: (turn) => ({
      write: async (engine) => {
        const person = (turn * 7_919) % callers
        // A project of which the caller is no member.
        const project = 1 + ((person + callers / 20) % (callers / 10))
        made.push((await createItem(engine, 'members', { project, person })).id)
      },
      messages: 1,
    }),
    goes: () => ({
      write: (engine) => deleteItem(engine, 'members', Number(made.pop())),
      messages: 1,
    }),
  }
}

/** Measures the changes of a scene, of which each is told before the next one is made. */
export async function measureChanges(
  workload: keyof typeof scenes,
  { ground, callers, seconds }: Measuring,
): Promise<readonly Figure[]> {
  const scene: Scene = scenes[workload](callers)
  const bare = await costsOf(ground, scene, { engine: ground.bare, seconds: seconds / 4 })
  const feed = openFeed(ground.engine)
  const latencies: number[] = []
  const written = new Map<number, number>()
  const lists = Array.from({ length: callers }, (_, caller) => scene.watch(feed, caller))
  const audience = await Audience.of(feed, lists, (message) => {
    const at = written.get(lastChange(message))
    if (at !== undefined) latencies.push(performance.now() - at)
  })
  try {
    const told = await costsOf(ground, scene, { engine: ground.engine, seconds, audience, feed })
    const kinds = Object.keys(scene.changes)
    const figures = kinds.flatMap((kind) => {
      const [with_, without] = [told[kind] ?? none, bare[kind] ?? none]
      return [
        figure(kind, with_.here - without.here),
        ...(with_.server > 0 ? [figure(`${kind}, server`, with_.server - without.server)] : []),
      ]
    })
    if (workload === 'R4') return figures
    return [...figures, ...(await stream({ ground, scene, seconds, audience, written, latencies }))]
  } finally {
    await audience.leave()
    await feed.stop()
  }
}

const none: Processor = { here: 0, server: 0 }
const figure = (what: string, value: number): Figure => ({ what, value, unit: 'ms' })

interface Told {
  readonly engine: Watched
  readonly seconds: number
  readonly audience?: Audience
  readonly feed?: WatchedFeed
}

/** Cost of a change of each kind, on the average. */
async function costsOf(
  ground: WatchedGround,
  { changes }: Scene,
  { engine, seconds, audience, feed }: Told,
): Promise<Readonly<Record<string, Processor>>> {
  const asking = feed ? askingCost(feed) : 0
  const costs: Record<string, Processor[]> = {}
  let turn = 0
  const run = async (kind: string, changeAt: (turn: number) => Change) => {
    const { write, messages } = changeAt(turn)
    const asked = audience?.asked ?? 0
    const { here, server } = await processorOf(ground, async () => {
      await write(engine)
      if (!audience) return pause(12)
      await (messages > 0 ? audience.told(messages) : pause(20))
      await audience.quiet()
    })
    const times = costs[kind] ?? []
    costs[kind] = times
    times.push({ here: here - ((audience?.asked ?? 0) - asked) * asking, server })
  }
  const end = performance.now() + seconds * 1_000
  while (turn < 3 || (performance.now() < end && turn < most)) {
    for (const [kind, changeAt] of Object.entries(changes)) await run(kind, changeAt)
    turn += 1
  }
  return Object.fromEntries(
    Object.entries(costs).map(([kind, times]) => {
      // The first ones compile statements.
      const warm = times.slice(Math.floor(times.length / 4))
      return [kind, { here: mean(warm.map(({ here }) => here)), server: mean(warm.map((one) => one.server)) }]
    }),
  )
}

const most = 400
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Milliseconds of a core that it takes to ask a feed for its status. */
function askingCost(feed: WatchedFeed): number {
  const before = process.cpuUsage()
  for (let time = 0; time < 200; time++) feed.status()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / 200
}

/** Changes in a second of a stream. */
const rate = 100

interface Streamed extends Pick<Measuring, 'ground' | 'seconds'> {
  readonly scene: Scene
  readonly audience: Audience
  /** When each change was written. */
  readonly written: Map<number, number>
  readonly latencies: number[]
}

/** Changes at a fixed rate, of which nobody waits for the last one. */
async function stream({ ground, scene, seconds, audience, written, latencies }: Streamed) {
  const changeAt = scene.changes.change
  if (!changeAt) return []
  const first = 1_000_000
  const count = Math.max(20, Math.round(rate * seconds))
  const during = async (engine: Watched, from: number) => {
    const start = performance.now()
    for (let turn = 0; turn < count; turn++) {
      const ahead = start + (turn * 1_000) / rate - performance.now()
      if (ahead > 0) await pause(ahead)
      written.set(from + turn, performance.now())
      await changeAt(from + turn).write(engine)
    }
  }
  const bare = await processorOf(ground, () => during(ground.bare, first))
  latencies.length = 0
  const told = await processorOf(ground, async () => {
    await during(ground.engine, first * 2)
    await pause(50)
    await audience.quiet()
  })
  audience.takeHeard()
  return [
    figure(`stream of ${rate}/s`, (told.here - bare.here) / count),
    ...(told.server > 0 ? [figure(`stream of ${rate}/s, server`, (told.server - bare.server) / count)] : []),
    figure('told, median', share(latencies, 0.5)),
    figure('told, p95', share(latencies, 0.95)),
  ]
}

/** The last change of which a message tells. */
export function lastChange(message: FeedMessage): number {
  if (message.kind !== 'changes') return -1
  return Math.max(-1, ...message.set.map(({ item }) => Number(Reflect.get(Object(item), 'changed'))))
}
