// An answer that breaks at any byte, or behind which the server ends the connection in the same read: what was answered is stored and told so, and what
// was refused is not stored, unless it is said that it may be.
import { randomBytes } from 'node:crypto'
import { Kysely } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  isEngineError,
  streamItems,
  updateByQuery,
  updateItem,
} from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import { key, maybeOne, string } from '../../support/fields.ts'
import { isLong } from '../../support/long-runs.ts'
import { type Answer, type AnswerProxy, answerProxyTo, type Break } from './answer-proxy.ts'
import { type BrokenDriver, brokenDrivers } from './broken-drivers.ts'

const schema = defineSchema({
  owners: { fields: { id: key, name: string } },
  notes: { fields: { id: key, text: string, owner: maybeOne('owners') } },
})
type Notes = ReturnType<typeof createEngine<typeof schema>>

const tables = `
  create table owners (id int primary key, name text not null);
  create table notes (id int generated always as identity primary key, text text not null, owner int references owners);
  insert into owners values (1, 'one');
  insert into notes (text, owner) values ('none', 1);
  insert into notes (text, owner) select 'read ' || n, 1 from generate_series(1, 30) as n;`

/** Locks and writes by the owner of a note: statements that are known together. */
const owned = { filter: { owner: { name: 'one' } } } as const

interface Verb {
  readonly act: (engine: Notes, mark: string) => Promise<unknown>
  /** How often it is done before, on the connection that breaks. */
  readonly before: number
  readonly reads?: true
}

const one: Verb['act'] = (engine, mark) => createItem(engine, 'notes', { text: mark })

const verbs: Readonly<Record<string, Verb>> = {
  'a statement': { act: one, before: 1 },
  'a prepared statement': { act: one, before: 3 },
  'a statement with a signal': {
    act: (engine, mark) =>
      createItem(engine, 'notes', { text: mark }, {}, { signal: new AbortController().signal }),
    before: 3,
  },
  'a statement with a timeout': {
    act: (engine, mark) => createItem(engine, 'notes', { text: mark }, {}, { timeoutMs: 60_000 }),
    before: 3,
  },
  'a transaction': {
    act: (engine, mark) =>
      engine.transaction(async (inside) => {
        await one(inside, mark)
        await updateItem(inside, 'owners', 1, { name: 'one' })
      }),
    before: 2,
  },
  'statements that are sent together': {
    act: (engine, mark) =>
      updateByQuery(
        engine.as({ rules: { notes: { read: true, update: owned }, owners: { read: true } } }),
        'notes',
        { filter: { text: 'none' } },
        { text: mark },
      ),
    before: 3,
  },
  'a cursor': {
    act: async (engine) => {
      const read: unknown[] = []
      for await (const note of streamItems(engine, 'notes', { filter: { text: { _starts_with: 'read' } } }))
        read.push(note)
      expect(read).toHaveLength(30)
    },
    before: 2,
    reads: true,
  },
}

let admin: pg.Client
let proxy: AnswerProxy
const name = `broken_${randomBytes(8).toString('hex')}`
const url = new URL(inject('postgres').c)

beforeAll(async () => {
  url.searchParams.set('options', `-c search_path=${name}`)
  admin = new pg.Client(url.href.replaceAll('+', '%20'))
  await admin.connect()
  await admin.query(`create schema ${name}; ${tables}`)
  proxy = await answerProxyTo(Number(url.port))
  url.port = String(proxy.port)
})

afterAll(async () => {
  await proxy?.close()
  await admin.query(`drop schema ${name} cascade`)
  await admin.end()
})

interface Opened {
  readonly engine: Notes
  readonly db: Kysely<AnyTables>
}

async function open({ dialect }: BrokenDriver): Promise<Opened> {
  const db = new Kysely<AnyTables>({ dialect: await dialect(url.href.replaceAll('+', '%20'), 1) })
  return { db, engine: createEngine({ db, schema, acquireTimeoutMs: 60_000, onError: () => undefined }) }
}

type Told = 'done' | 'refused' | 'may be stored'

const toldBy = (work: Promise<unknown>): Promise<Told> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (!isEngineError(error)) throw error
      return error.extensions.mayBeStored ? 'may be stored' : 'refused'
    },
  )

let marks = 0

/** The verb on a connection whose answer breaks, and what is stored then. */
async function broken({ engine }: Opened, { act, before }: Verb, at: Break | undefined) {
  proxy.breakOff(undefined)
  // A pool may once hand on the connection that has ended.
  for (let time = 0; time < before; ) if ((await toldBy(act(engine, `before ${++marks}`))) === 'done') time++
  const mark = `m${++marks}`
  await admin.query(
    `delete from notes where owner is null; update notes set text = 'none' where text not like 'read%'`,
  )
  proxy.breakOff(at)
  const told = await toldBy(act(engine, mark))
  const { answers } = proxy
  proxy.breakOff(undefined)
  // What a server has not been asked to commit ends with its connection.
  const { rows } = await admin.query('select count(*)::int as stored from notes where text = $1', [mark])
  return { told, answers, isStored: rows[0]?.stored > 0 }
}

describe.each(brokenDrivers)('over $title', (driver) => {
  it.each(Object.keys(verbs))('%s is told as it is, wherever its answer breaks', async (title) => {
    const verb = verbs[title]
    if (!verb) throw new Error('There is no such verb.')
    let opened = await open(driver)
    const whole = await broken(opened, verb, undefined)
    expect(whole).toMatchObject({ told: 'done', isStored: !verb.reads })
    const failures: string[] = []
    const tried = new Map<string, number>()
    for (const at of breaksIn(whole.answers, verb)) {
      const seen = await broken(opened, verb, at)
      const isLast = at.answer === whole.answers.length
      tried.set(seen.told, (tried.get(seen.told) ?? 0) + 1)
      failures.push(...judge({ ...seen, isReady: at.follows === 'rest and FATAL', isLast }, verb, at))
      if (driver.goesOn) continue
      // After the loss of a connection it takes its time to end.
      void opened.db.destroy()
      opened = await open(driver)
    }
    void opened.db.destroy()
    expect(failures).toEqual([])
    expect(tried.get('done')).toBeGreaterThan(0)
    expect(tried.get(verb.reads ? 'refused' : 'may be stored')).toBeGreaterThan(0)
  })
})

/** A long run breaks at each byte of each answer; else each answer breaks at each message, but of a write the last one alone. */
function* breaksIn(answers: readonly Answer[], { reads }: Verb): Generator<Break> {
  for (const [index, { bytes, bounds }] of answers.entries()) {
    const answer = index + 1
    if (!isLong && !reads && answer < answers.length) continue
    const until = bytes.length
    const middle = Math.floor(until / 2)
    const all = Array.from({ length: until }, (_, at) => at)
    for (const at of isLong ? all : [0, middle]) yield { answer, at, follows: 'rest and FATAL' }
    for (const at of bounds) if (at < until) yield { answer, at, follows: 'FATAL' }
    for (const at of isLong ? all : [middle, until - 1]) yield { answer, at, follows: 'end' }
  }
}

interface Seen {
  readonly told: Told
  readonly isStored: boolean
  /** True if the server said that it was ready, and nothing was lost before. */
  readonly isReady: boolean
  /** True if the answer is that of what commits. */
  readonly isLast: boolean
}

function* judge(seen: Seen, { reads }: Verb, { answer, at, follows }: Break): Generator<string> {
  const { told, isStored, isReady, isLast } = seen
  const where = `${follows} at byte ${at} of answer ${answer}: ${told}, stored ${isStored}`
  if (reads && told === 'may be stored') yield `a read has stored something: ${where}`
  if (reads) return
  if (told === 'done' && !(isStored && isReady)) yield `answered and not known: ${where}`
  if (told === 'refused' && isStored) yield `refused and stored: ${where}`
  if (isLast && isReady && told !== 'done') yield `answered, and told otherwise: ${where}`
  if (!isLast && told === 'done') yield `nothing was committed: ${where}`
}
