// R14: what the change log costs: writes of a table that is logged, beside one that is not; a look that finds nothing; and how soon a change is told that
// another engine has written.
import { sql } from 'kysely'
import { createEngine, createItem, createItems, defineSchema, updateItem } from 'quernel'
import { changeLogSource, createFeed, installChangeLog, removeChangeLog, watchItems } from 'quernel/realtime'
import { contest } from '../contest.ts'
import { median } from '../median.ts'
import { bestOf } from '../ratios.ts'
import { pause } from './audience.ts'
import { type Figure, type Measuring, processorOf, share } from './figures.ts'

const fields = {
  id: { type: 'integer', key: true },
  title: { type: 'string' },
  amount: { type: 'integer', nullable: true },
} as const
const schema = defineSchema({ logged: { fields }, plain: { fields } })

const everyMs = 100
/** Milliseconds between looks that find nothing. */
const idleEveryMs = 10
const idleRounds = 7
/** Changes in a second. */
const rate = 200

export async function measureChangeLog({ ground, seconds }: Measuring): Promise<readonly Figure[]> {
  const { db } = ground.engine
  for (const name of ['logged', 'plain'])
    await sql
      .raw(`create table ${name} (id integer primary key, title text not null, amount integer)`)
      .execute(db)
  const engine = createEngine({ db, schema })
  await installChangeLog(engine, ['logged'], { keep: { rows: 100_000 } })
  // Feeds keep no process alive.
  const alive = setInterval(() => undefined, 1_000)
  try {
    const writes = await ratios(engine, seconds)
    const idle = await idleLook({ ground, engine, seconds })
    return [...writes, ...idle, await lateness(engine, createEngine({ db, schema }), seconds)]
  } finally {
    clearInterval(alive)
    await removeChangeLog(engine)
  }
}

const openEngine = (db: Measuring['ground']['engine']['db']) => createEngine({ db, schema })
type LogEngine = ReturnType<typeof openEngine>

async function ratios(engine: LogEngine, seconds: number): Promise<readonly Figure[]> {
  let id = 10
  for (const name of ['logged', 'plain'] as const) await createItem(engine, name, { id: 1, title: 'Old' })
  const writes: Readonly<Record<string, (name: 'logged' | 'plain') => Promise<unknown>>> = {
    createItem: (name) => createItem(engine, name, { id: id++, title: 'New' }),
    updateItem: (name) => updateItem(engine, name, 1, { title: `Turn ${id++}` }),
    createItems: (name) =>
      createItems(
        engine,
        name,
        Array.from({ length: 1_000 }, () => ({ id: id++, title: 'Many' })),
      ),
  }
  const figures: Figure[] = []
  for (const [what, write] of Object.entries(writes)) {
    const entrants = (['logged', 'plain'] as const).map((name) => ({
      party: name,
      form: what,
      run: () => write(name),
    }))
    const results = await contest(entrants, () => noTurn, seconds)
    const [logged, plain] = [bestOf('logged', results), bestOf('plain', results)]
    figures.push({ what, value: (logged?.time ?? Number.NaN) / (plain?.time ?? Number.NaN), unit: '×' })
  }
  return figures
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

/** What a look costs that finds nothing, of processor; by many more looks than there are in a feed. */
async function idleLook({
  ground,
  engine,
  seconds,
}: Pick<Measuring, 'ground' | 'seconds'> & { readonly engine: LogEngine }): Promise<readonly Figure[]> {
  const looks = Math.ceil((seconds * 1_000) / idleEveryMs / idleRounds)
  const here: number[] = []
  const server: number[] = []
  for (let round = 0; round < idleRounds; round++) {
    // As many timers that do nothing: to wake a process costs more than the look. In turns, since others use the machine, too.
    const empty = await processorOf(ground, async () => {
      for (let timer = 0; timer < looks; timer++) await pause(idleEveryMs)
    })
    const feed = createFeed(createEngine({ db: engine.db, schema }), {
      source: changeLogSource({ everyMs: idleEveryMs }),
    })
    const list = watchItems(feed.as({ admin: true }), 'logged', { limit: 1 })
    await list.next()
    const watched = await processorOf(ground, () => pause(looks * idleEveryMs))
    await list.return()
    await feed.stop()
    here.push((watched.here - empty.here) / looks)
    server.push((watched.server - empty.server) / looks)
  }
  return [
    { what: 'idle look', value: median(here), unit: 'ms' },
    { what: 'idle look, server', value: median(server), unit: 'ms' },
  ]
}

/** How late a change is told that another engine has written. */
async function lateness(engine: LogEngine, other: LogEngine, seconds: number): Promise<Figure> {
  const feed = createFeed(engine, { source: changeLogSource({ everyMs }) })
  const list = watchItems(feed.as({ admin: true }), 'logged', { fields: ['amount'], filter: { id: 1 } })
  const written = new Map<number, number>()
  const late: number[] = []
  const count = rate * seconds
  const reading = (async () => {
    for await (const message of list) {
      if (message.kind !== 'changes') continue
      const last = Number(Reflect.get(Object(message.set[0]?.item), 'amount'))
      // A message is of the last of several changes; each of them is told by it.
      for (const [amount, at] of written)
        if (amount <= last) {
          late.push(performance.now() - at)
          written.delete(amount)
        }
      if (last === count) return
    }
  })()
  await pause(300)
  for (let amount = 1; amount <= count; amount++) {
    await updateItem(other, 'logged', 1, { amount })
    written.set(amount, performance.now())
    await pause(1_000 / rate)
  }
  await reading
  await feed.stop()
  return { what: 'told, p95', value: share(late, 0.95), unit: 'ms' }
}
