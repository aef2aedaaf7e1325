// Rights that change in the middle of a read. Nothing is told by a right that somebody has no more, and nothing of before somebody had it.
import { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Access, createEngine, updateItem } from '../../../src/index.ts'
import { createFeed, type FeedMessage, localSource, watchItems } from '../../../src/realtime.ts'
import type { AnyTables } from '../../support/databases.ts'
import { DialectBetweenReads } from '../between-reads.ts'
import { createNotes, schema as ofNotes } from '../notes.ts'
import { next, openTasks, pause, reading, type schema, until } from '../tasks.ts'

type Rights = Access<typeof schema>
const of = (owner: number): Rights => ({ rules: { tasks: { read: { filter: { owner } } } } })
const memberships = ['page', 'match'] as const

describe.each(memberships)('rights (%s)', (membership) => {
  it('that come after a secret was taken out of a row show nothing of it', async () => {
    const { engine, feed } = await openTasks()
    const query = { fields: ['title'] } as const
    const others = reading(watchItems(feed.as(of(1)), 'tasks', query, { membership }))
    let access: Rights = of(2)
    const mine = feed.as(() => access)
    const waiting = reading(watchItems(mine, 'tasks', query, { membership }))
    const late: FeedMessage[] = []
    for (let turn = 0; turn < 20; turn++) {
      access = of(2)
      await feed.recheck()
      await updateItem(engine, 'tasks', 1, { title: `secret ${turn}` })
      await until(() => others.has(`secret ${turn}`))
      await updateItem(engine, 'tasks', 1, { title: `open ${turn}` })
      // From here on others may see it, too.
      access = of(1)
      const watched = watchItems(feed.as(of(1)), 'tasks', query, { membership })
      const [message] = await Promise.all([next(watched), feed.recheck()])
      if (message) late.push(message)
      await until(() => waiting.has(`open ${turn}`))
      await watched.return()
    }
    expect(JSON.stringify(late)).toContain('open 19')
    expect(JSON.stringify([late, waiting.told])).not.toContain('secret')
  })
})

/** A gate behind the reads of a database: what was read waits there. */
class Gate {
  /** Reads that pass before it closes; undefined while it is open. */
  #left: number | undefined
  #opened = Promise.resolve()
  #open = () => {}
  isReached = false

  /** Closes after some more reads. */
  close(after: number): void {
    this.#left = after
    this.isReached = false
    this.#opened = new Promise((resolve) => {
      this.#open = resolve
    })
  }

  open(): void {
    this.#left = undefined
    this.#open()
  }

  async pass(): Promise<void> {
    if (this.#left === undefined || this.#left-- > 0) return
    this.isReached = true
    await this.#opened
  }
}

type NoteRights = Access<typeof ofNotes>
const ofTeam = (team: number, fields = '*'): NoteRights => ({
  rules: { notes: { read: { fields: [fields as '*'], filter: { team: { id: team } } } } },
})

/** What the rights become, and what is to be seen of them. */
const others: Readonly<
  Record<string, { readonly answer: () => NoteRights | null; readonly sees?: string; readonly code?: string }>
> = {
  'another team': { answer: () => ofTeam(2), sees: '"two"' },
  'no text': { answer: () => ofTeam(1, 'id'), sees: '"id":1' },
  nobody: { answer: () => null, code: 'FORBIDDEN' },
  'those of one whose time is over': {
    answer: () => ({ ...ofTeam(1), expiresAt: 1 }),
    code: 'TOKEN_EXPIRED',
  },
  'not known': {
    answer: () => {
      throw new Error('no answer')
    },
    code: 'SERVICE_UNAVAILABLE',
  },
}
const moments = [0, 1, 2, 3].flatMap((reads) =>
  memberships.flatMap((membership) => Object.keys(others).map((name) => ({ reads, membership, name }))),
)

describe('rights that become others behind a read', () => {
  let reached = 0
  it.each(moments)('($reads, $membership): $name', async ({ reads, membership, name }) => {
    const { answer, sees, code } = others[name] ?? { answer: () => null }
    const gate = new Gate()
    const db = new Kysely<AnyTables>({ dialect: new DialectBetweenReads(() => gate.pass()) })
    await createNotes(db)
    const engine = createEngine({ db, schema: ofNotes })
    for (const isFirst of [false, true]) {
      const feed = createFeed(engine, { source: localSource(), settleMs: 0, onError: () => undefined })
      let now: () => NoteRights | null = () => ofTeam(1)
      const mine = feed.as(() => now())
      const watch = () => watchItems(mine, 'notes', { filter: { id: { _gt: 0 } } }, { membership })
      const watched = reading(watch())
      const { told, over } = watched
      if (!isFirst) await until(() => told.length > 0)
      if (isFirst) gate.close(reads)
      else {
        await updateItem(engine, 'notes', 1, { text: 'secret' })
        gate.close(reads)
      }
      for (let turn = 0; turn < 20 && !gate.isReached; turn++) await pause(1)
      const before = told.length
      now = answer
      const rechecked = feed.recheck()
      await pause(1)
      gate.open()
      await rechecked
      if (code === undefined) await until(() => JSON.stringify(told.slice(before)).includes(sees ?? ''))
      else await until(() => watched.code !== undefined)
      await pause(5)
      if (gate.isReached) {
        reached += 1
        const after = JSON.stringify(told.slice(before))
        expect(after).not.toContain('secret')
        if (name !== 'no text') expect(after).not.toContain('"one"')
        if (code !== undefined) expect(after).toBe('[]')
      }
      expect(watched.code).toBe(code)
      expect(feed.status()).toMatchObject({ subscriptions: code ? 0 : 1, oldest: 0 })
      await feed.stop()
      await over
    }
    await db.destroy()
  })
  it('were met', () => {
    expect(reached).toBeGreaterThan(moments.length / 2)
  })
})
