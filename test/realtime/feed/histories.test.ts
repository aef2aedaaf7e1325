// Histories that were hard to get right elsewhere, each told to subscribers of both memberships.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, createItem, createItems, deleteItem, updateItem } from '../../../src/index.ts'
import { createFeed, type Feed, localSource, type Source } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { isLong } from '../../support/long-runs.ts'
import {
  createNotes,
  type Membership,
  memberships,
  type Notes,
  NotesReader,
  rules,
  schema,
} from '../notes.ts'
import { pause, until } from '../tasks.ts'

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Notes
  let feed: Feed<typeof schema>

  beforeEach(async () => {
    opened = await open()
    await createNotes(opened.db)
    engine = createEngine({ db: opened.db, schema })
    feed = createFeed(engine, { source: localSource(), settleMs: 5 })
    atEnd(() => feed.stop())
  })

  /** Begins to read as a member of a team. */
  async function reading(membership: Membership, user: number, from = feed): Promise<NotesReader> {
    const reader = await new NotesReader(from, { user, rules }, membership).begin()
    atEnd(() => reader.leave())
    return reader
  }

  describe.each(memberships)('membership %s', (membership) => {
    it('tells no secret that was taken out of a row before the row came', async () => {
      const reader = await reading(membership, 7)
      for (let turn = 0; turn < 20; turn++) {
        await updateItem(engine, 'notes', 2, { text: 'secret' })
        await updateItem(engine, 'notes', 2, { text: 'open' })
        await updateItem(engine, 'notes', 2, { team: 1 })
        if (turn % 2) await reader.holds(1, 2)
        await updateItem(engine, 'notes', 2, { team: 2 })
        await updateItem(engine, 'notes', 2, { text: 'secret' })
        if (turn % 3) await reader.holds(1)
      }
      await reader.holds(1)
      expect(reader.messages.length).toBeGreaterThan(10)
      expect(JSON.stringify(reader.messages)).not.toContain('secret')
    })

    it('holds what is there when memberships and rows go and come back at once', async () => {
      const reader = await reading(membership, 7)
      await deleteItem(engine, 'members', 1)
      await createItem(engine, 'members', { id: 1, team: 1, person: 7 })
      await updateItem(engine, 'notes', 1, { team: 2 })
      await updateItem(engine, 'notes', 1, { team: 1, text: 'again' })
      await until(() => JSON.stringify(reader.replica.data) === '[{"id":1,"text":"again"}]')
      await createItem(engine, 'members', { id: 3, team: 2, person: 7 })
      await reader.holds(1, 2)
      await deleteItem(engine, 'members', 1)
      await reader.holds(2)
      await deleteItem(engine, 'members', 3)
      await reader.holds()
      expect(reader.replica.strange).toEqual([])
    })

    it('holds the last of two who write one row', async () => {
      const { replica } = await reading(membership, 7)
      for (let turn = 0; turn < 10; turn++) {
        const texts = [`left ${turn}`, `right ${turn}`]
        await Promise.all(texts.map((text) => updateItem(engine, 'notes', 1, { text })))
        const { rows } = await sql<{ text: string }>`select text from notes where id = 1`.execute(opened.db)
        await until(() => JSON.stringify(replica.data) === JSON.stringify([{ id: 1, text: rows[0]?.text }]))
      }
    })

    it('begins anew after many thousand keys in one call, and is right', async () => {
      const { messages, replica } = await reading(membership, 7)
      const count = isLong || (name === 'sqlite' && membership === 'match') ? 100_000 : 11_000
      const many = Array.from({ length: count }, (_, index) => ({ id: 10 + index, text: null, team: 1 }))
      await createItems(engine, 'notes', many)
      await until(() => replica.isKnown && replica.data.length === 100)
      const reasons = messages.flatMap((message) => (message.kind === 'reset' ? [message.reason] : []))
      expect(reasons).toEqual(membership === 'match' ? ['behind'] : [])
      await deleteItem(engine, 'notes', 1)
      await until(() => !JSON.stringify(replica.data).includes('"one"'))
    })

    it('looks again for a commit whose answer was lost, and that came late', async () => {
      let tell: ((isDoubtful: boolean) => void) | undefined
      const source: Source = {
        async *read() {
          yield { position: 1, changes: [] }
          for (let position = 2; ; position++) {
            const isDoubtful = await new Promise<boolean>((resolve) => {
              tell = resolve
            })
            yield { position, changes: [{ collection: 'notes', keys: [1], isDoubtful }] }
          }
        },
      }
      const doubtful = createFeed(engine, { source, settleMs: 1 })
      atEnd(() => doubtful.stop())
      const { replica } = await reading(membership, 7, doubtful)
      await until(() => tell !== undefined)
      tell?.(true)
      await pause(100)
      await opened.run("update notes set text = 'late' where id = 1")
      await until(() => JSON.stringify(replica.data).includes('late'))
    })
  })
})
