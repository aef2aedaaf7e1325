// An item that is read in order to be changed: nobody else changes it between the two.
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  createVersion,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  updateItem,
} from '../../../src/index.ts'
import { type Stepped, steppedDatabases } from '../../access/stepped-databases.ts'
import type { AnyTables } from '../../support/databases.ts'
import { integer, key, string } from '../../support/fields.ts'

const schema = defineSchema({
  tasks: { versioned: true, fields: { id: key, tenant: integer, status: string, text: string } },
})

const access: Access<typeof schema> = {
  rules: { tasks: { read: { filter: { tenant: 1 } }, update: { filter: { status: 'draft' } } } },
}
const lock = { lock: true } as const

describe.each(steppedDatabases)('on $name', ({ name, create, open }) => {
  let stepped: Stepped
  let engine: Engine<typeof schema>
  beforeEach(async () => {
    stepped = await open()
    const { db } = stepped
    for (const text of create) await sql.raw(text).execute(db)
    await sql`insert into tasks (id, tenant, status, text) values
      (1, 1, 'draft', '0'), (2, 1, 'public', '0'), (3, 2, 'draft', '0')`.execute(db)
    engine = createEngine({ db, schema })
  })
  afterEach(() => stepped.close())

  /** Whether somebody else could change a task now. */
  const isFree = (id: number) =>
    stepped.other
      .updateTable('tasks')
      .set({ status: sql`status` })
      .where('id', '=', id)
      .execute()
      .then(() => true, stepped.isHeld)

  it('an item is held until the transaction ends, and is read as it is then', async () => {
    await engine.transaction(async (inside) => {
      expect(await getItem(inside, 'tasks', 1, { fields: ['text'] }, lock)).toEqual({ text: '0' })
      expect(await isFree(1)).toBe(false)
      // A file of SQLite is written to by one at a time.
      expect(await isFree(2)).toBe(name === 'postgres')
    })
    expect(await isFree(1)).toBe(true)
  })

  it('an item that is only read is not held', async () => {
    await stepped.db.transaction().execute(async (transaction) => {
      await getItem(engine.using(transaction), 'tasks', 1, {}, { lock: false })
      // Whoever reads a file of SQLite keeps others from ending what they write.
      if (name === 'postgres') expect(await isFree(1)).toBe(true)
    })
  })

  it("an item is held in a transaction of the host's, too", async () => {
    await stepped.db.transaction().execute(async (transaction) => {
      const inside = engine.using(transaction)
      await getItem(inside, 'tasks', 1, {}, lock)
      expect(await isFree(1)).toBe(false)
      await updateItem(inside, 'tasks', 1, { text: '1' })
    })
    expect(await isFree(1)).toBe(true)
  })

  it('who reads, locks and then writes loses nothing that others have written', async () => {
    const count = async (own: Engine<typeof schema>) =>
      own.transaction(async (inside) => {
        const { text } = await getItem(inside, 'tasks', 1, { fields: ['text'] }, lock)
        await updateItem(inside, 'tasks', 1, { text: String(Number(text) + 1) })
      })
    // The second begins as often as somebody else has the file.
    const other: Kysely<AnyTables> = stepped.db
    const second = createEngine({ db: other, schema })
    await Promise.all(Array.from({ length: 4 }, (_, at) => count(at % 2 ? second : engine)))
    expect((await getItem(engine, 'tasks', 1, { fields: ['text'] })).text).toBe('4')
  })

  it('outside of a transaction nothing can be locked', async () => {
    const refused = { code: 'INVALID_OPTIONS', path: ['lock'] }
    await expect(getItem(engine, 'tasks', 1, {}, lock)).rejects.toMatchObject(refused)
    await expect(getItem(engine, 'tasks', 1, {}, { lock: 'yes' as never })).rejects.toMatchObject(refused)
  })

  it('a version is not locked', async () => {
    await engine.install()
    await createVersion(engine, 'tasks', 1, { key: 'draft', delta: { text: '9' } })
    const read = engine.transaction((inside) => getItem(inside, 'tasks', 1, { version: 'draft' }, lock))
    await expect(read).rejects.toMatchObject({ code: 'INVALID_OPTIONS', path: ['lock'] })
  })

  it('an item that is not there is not found', async () => {
    const read = engine.transaction((inside) => getItem(inside, 'tasks', 9, {}, lock))
    await expect(read).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('rules for updates say who may lock, and what is not seen is not held', async () => {
    const mine = engine.as(access)
    await mine.transaction(async (inside) => {
      const refused = async (id: number, code: string) =>
        expect(getItem(inside, 'tasks', id, {}, lock)).rejects.toMatchObject({ code })
      await refused(3, 'NOT_FOUND')
      if (name === 'postgres') expect(await isFree(3)).toBe(true)
      await refused(2, 'FORBIDDEN')
      await refused(9, 'NOT_FOUND')
      expect(await getItem(inside, 'tasks', 1, { fields: ['id'] }, lock)).toEqual({ id: 1 })
      expect(await isFree(1)).toBe(false)
    })
    const reader = engine.as({ rules: { tasks: { read: true } } })
    const read = reader.transaction((inside) => getItem(inside, 'tasks', 1, {}, lock))
    await expect(read).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('what is locked is read where it is written, and not from a copy', async () => {
    const own = createEngine({ db: stepped.db, schema, reads: stepped.other })
    await own.transaction(async (inside) => {
      await updateItem(inside, 'tasks', 1, { text: 'now' })
      expect(await getItem(inside, 'tasks', 1, { fields: ['text'] }, lock)).toEqual({ text: 'now' })
    })
    expect((await listItems(engine, 'tasks', { filter: { text: 'now' } })).data).toHaveLength(1)
  })
})
