// The k-th call of the database fails, for each k, verb and shape of transaction: what was answered is stored, what failed left nothing, the
// pool is whole, and handlers heard of what is stored.
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import type { CommittedChange } from '../../src/engine/listeners.ts'
import {
  compareVersion,
  createEngine,
  createItem,
  createItems,
  createVersion,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  isEngineError,
  promoteVersion,
  saveVersion,
  updateByQuery,
  updateItem,
  updateItems,
  updateSingleton,
} from '../../src/index.ts'
import { inSeconds } from '../items/connections.ts'
import { isLong } from '../support/long-runs.ts'
import { type Fault, type Injected, injectedDatabases } from './injector.ts'
import { createLibrary, schema as library, restoreLibrary } from './library.ts'

const { books, ...others } = library.definition
const schema = defineSchema({
  ...others,
  books: { ...books, versioned: true },
  audits: { fields: { id: { type: 'integer', key: true }, event: { type: 'string' } } },
})
type World = Engine<typeof schema>

const verbs: Readonly<Record<string, (engine: World) => Promise<unknown>>> = {
  'createItem of one row': (engine) => createItem(engine, 'authors', { name: 'Dee' }),
  'createItem of a tree': (engine) =>
    createItem(engine, 'books', {
      title: 'New',
      author: { name: 'Dee' },
      chapters: [{ heading: 'a' }, { heading: 'b' }],
      subjects: [{ subject: { name: 'new' } }],
    }),
  createItems: (engine) => createItems(engine, 'books', [{ title: 'a' }, { title: 'b', author: 1 }]),
  'createItems that fails': (engine) => createItems(engine, 'subjects', [{ name: 'half' }, { name: 'tea' }]),
  updateItem: (engine) =>
    updateItem(engine, 'books', 1, { title: 'Uno', chapters: { create: [{ heading: 'c' }], delete: [1] } }),
  updateItems: (engine) =>
    updateItems(engine, 'books', [
      { id: 1, title: 'Uno' },
      { id: 2, title: 'Due' },
    ]),
  updateByQuery: (engine) =>
    updateByQuery(engine, 'books', { filter: { id: { _gt: 0 } } }, { title: 'x', subjects: [] }),
  updateSingleton: (engine) => updateSingleton(engine, 'settings', { name: 'x' }),
  deleteItem: (engine) => deleteItem(engine, 'chapters', 1),
  deleteItems: (engine) => deleteItems(engine, 'books', [1, 3]),
  deleteByQuery: (engine) => deleteByQuery(engine, 'books', { filter: { id: { _gt: 0 } } }),
  createVersion: (engine) => createVersion(engine, 'books', 2, { key: 'draft', delta: { title: 'Zwei' } }),
  saveVersion: (engine) =>
    saveVersion(engine, 'books', 1, 'draft', { chapters: { create: [{ heading: 'z' }] } }),
  promoteVersion: async (engine) => {
    const { mainHash } = await compareVersion(engine, 'books', 1, 'draft')
    await promoteVersion(engine, 'books', 1, 'draft', { mainHash })
  },
}

type Done = Record<string, boolean>
/** Does the parts that are wanted, and notes which of them are done. */
type Part = (name: string, work: () => Promise<unknown>) => Promise<void>

const first = (engine: World) => createItem(engine, 'authors', { name: 'first' })
const last = (engine: World) => createItem(engine, 'authors', { name: 'last' })

/** Where a verb is called. What fails of it is caught where there is more to do. */
const shapes: Readonly<
  Record<string, (engine: World, verb: (engine: World) => Promise<unknown>, part: Part) => Promise<unknown>>
> = {
  alone: (engine, verb, part) => part('verb', () => verb(engine)),
  'in a transaction': (engine, verb, part) =>
    engine.transaction(async (inside) => {
      await part('first', () => first(inside))
      await part('verb', () => verb(inside)).catch(() => undefined)
      await part('last', () => last(inside))
    }),
  'in a transaction in a transaction': (engine, verb, part) =>
    engine.transaction(async (outer) => {
      await part('first', () => first(outer))
      const inner = () => outer.transaction((inside) => verb(inside))
      await part('verb', inner).catch(() => undefined)
      await part('last', () => last(outer)).catch(() => undefined)
    }),
  "in a transaction of the host's": async (engine, verb, part) => {
    const told = await engine.db.transaction().execute(async (transaction) => {
      const inside = engine.using(transaction)
      await part('first', () => first(inside))
      await part('verb', () => verb(inside)).catch(() => undefined)
      await part('last', () => last(inside))
      return inside
    })
    await told.committed()
  },
}

const tables: Readonly<Record<string, RawBuilder<object>>> = {
  authors: sql`select name from authors order by id`,
  books: sql`select title, (select name from authors where authors.id = author) as author from books order by id`,
  chapters: sql`select heading, (select title from books where books.id = book) as book from chapters order by id`,
  subjects: sql`select name from subjects order by id`,
  books_subjects: sql`select (select title from books where books.id = book) as book,
    (select name from subjects where subjects.id = subject) as subject from books_subjects order by id`,
  settings: sql`select name from settings order by id`,
  versions: sql`select key, item, delta from versions order by item, key`,
  audits: sql`select event from audits order by event`,
}

const events = ['items.create', 'items.update', 'items.delete', 'items.promote'] as const

const isAudit = (collection: string) => collection === 'audits'

/** The events of which there is an audit. */
function auditsIn(all: string): readonly string[] {
  const tables: readonly [string, readonly { readonly event: string }[]][] = JSON.parse(all)
  return tables.flatMap(([table, rows]) => (isAudit(table) ? rows.map(({ event }) => event) : []))
}

/** The events that a listener has heard, each once. */
const eventsIn = (heard: readonly CommittedChange[]): readonly string[] => [
  ...new Set(
    heard
      .filter(({ collection }) => !isAudit(collection))
      .map(({ event, collection }) => `${event} ${collection}`)
      .sort(),
  ),
]

/** All that there is, as one text. */
async function stored({ db }: Injected): Promise<string> {
  const all: unknown[] = []
  for (const [name, rows] of Object.entries(tables)) all.push([name, (await rows.execute(db)).rows])
  return JSON.stringify(all)
}

const cases = Object.keys(shapes).flatMap((shape) => Object.keys(verbs).map((verb) => ({ shape, verb })))
/** In `npm test` each verb has one shape on each database, and each shape has it on one of them; and not every call fails. */
const casesOn = (lane: number) =>
  isLong ? cases : cases.filter((_, at) => (at + Math.floor(at / Object.keys(verbs).length)) % lanes === lane)
const lanes = injectedDatabases.length
const strideOf = { sqlite: isLong ? 1 : 5, postgres: isLong ? 1 : 15 }
const databases = injectedDatabases.map((database, lane) => ({ ...database, cases: casesOn(lane) }))

describe.each(databases)('with $title', ({ name, faults, open, cases }) => {
  let opened: Injected
  let engine: World
  let told: string[] = []
  let heard: CommittedChange[] = []
  beforeAll(async () => {
    opened = await open()
    await createLibrary(name, opened.db)
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
    const key =
      name === 'sqlite' ? 'integer primary key' : 'integer generated by default as identity primary key'
    await sql`create table audits (id ${sql.raw(key)}, event text not null)`.execute(opened.db)
    for (const event of events)
      engine.on(event, ({ collection }) => isAudit(collection) || told.push(`${event} ${collection}`), {
        when: 'after',
      })
    internalsOf(engine).hooks.listeners.add((changes) => void heard.push(...changes))
  })

  /** Writes an audit for each event, with what it tells of. */
  const audit = () =>
    events.map((event) =>
      engine.on(
        event,
        async ({ collection, engine: inside }) => {
          if (!isAudit(collection)) await createItem(inside, 'audits', { event: `${event} ${collection}` })
        },
        { when: 'beforeCommit' },
      ),
    )
  afterAll(() => opened.close())

  const restore = async () => {
    opened.arm(0)
    await sql`delete from versions`.execute(opened.db)
    await sql`delete from audits`.execute(opened.db)
    await restoreLibrary(name, opened.db)
    await createVersion(engine, 'books', 1, { key: 'draft', delta: { title: 'Draft' } })
    await sql`delete from audits`.execute(opened.db)
    told = []
    heard = []
  }

  interface Seen {
    readonly error: unknown
    readonly done: Done
    readonly stored: string
    readonly told: readonly string[]
    readonly heard: readonly CommittedChange[]
    readonly calls: readonly string[]
  }

  /** Does the wanted parts with a fault at one place, and looks what has come of it. */
  const run = async (
    { shape, verb }: (typeof cases)[number],
    wanted: (part: string) => boolean,
    at: number,
    fault?: Fault,
  ): Promise<Seen> => {
    await restore()
    const done: Done = {}
    const part: Part = async (named, work) => {
      if (!wanted(named)) return
      done[named] = false
      await work()
      done[named] = true
    }
    opened.arm(at, fault)
    const work = shapes[shape]?.(engine, verbs[verb] ?? first, part) ?? Promise.resolve()
    const error = await inSeconds(
      20,
      work.then(
        () => undefined,
        (caught: unknown) => caught ?? 'nothing',
      ),
    )
    const calls = [...opened.calls]
    opened.arm(0)
    return { error, done, stored: await stored(opened), told: [...told].sort(), heard: [...heard], calls }
  }

  it.each(cases)('$verb $shape is done or is not, whichever call fails', async (one) => {
    const offset = cases.indexOf(one)
    // Every other one with a hook before the commit.
    const offs = offset % 2 === 0 ? audit() : []
    onTestFinished(() => {
      for (const off of offs) off()
    })
    const known = new Map<string, Promise<Seen>>()
    /** What it comes to when only some parts are done. */
    const only = (done: Done) => {
      const parts = Object.keys(done).filter((part) => done[part])
      const text = parts.join()
      const before = known.get(text) ?? run(one, (part) => parts.includes(part), 0)
      known.set(text, before)
      return before
    }
    const nothing = await only({})
    const { calls, done } = await run(one, () => true, 0)
    expect(calls.length).toBeGreaterThan(0)
    for (const [index, fault] of faults.entries()) {
      for (let at = 1; at <= calls.length; at++) {
        if ((at + offset + index) % strideOf[name] !== 0) continue
        const seen = await run(one, () => true, at, fault)
        const where = `${fault} at ${at}: ${seen.calls[at - 1]}`
        expect(await opened.leftovers(), where).toEqual([])
        const isStored = seen.stored !== nothing.stored
        if (seen.error === undefined) {
          const wanted = await only(seen.done)
          expect(seen.stored, where).toBe(wanted.stored)
          expect(seen.told, where).toEqual(wanted.told)
          const audited = auditsIn(seen.stored)
          if (offs.length > 0) expect(audited, where).toEqual(seen.told)
          expect(eventsIn(seen.heard), where).toEqual([...new Set(seen.told)])
        } else if (isStored) {
          // The answer to a commit was lost.
          expect(fault, where).toBe('lost after')
          expect(seen.stored, where).toBe((await only(done)).stored)
          if (isEngineError(seen.error)) expect(seen.error.extensions, where).toEqual({ mayBeStored: true })
          expect(seen.told, where).toEqual([])
          // Who listens looks again at what may be stored. Of the end of a host's transaction only the host tells.
          const isHosts = one.shape === "in a transaction of the host's"
          const heard = isHosts ? [] : [...new Set((await only(done)).told)]
          expect(eventsIn(seen.heard), where).toEqual(heard)
          expect(
            seen.heard.every(({ isDoubtful }) => isDoubtful),
            where,
          ).toBe(true)
        } else {
          expect(seen.told, where).toEqual([])
          expect(
            seen.heard.every(({ isDoubtful }) => isDoubtful),
            where,
          ).toBe(true)
        }
      }
    }
    await restore()
  })
})
