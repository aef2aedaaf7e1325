// The same text, whoever makes it: of long lists PostgreSQL sends rows sooner than their JSON.
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, listItems, listItemsJson, type QueryReport } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { key, many, maybeOne, string } from '../../support/fields.ts'

const schema = defineSchema({
  notes: { fields: { id: key, text: string, parent: maybeOne('notes'), answers: many('notes.parent') } },
})

describe.each(databases)('on $name', ({ name, open }) => {
  it('a list as text is that of its items, however long it may be', async () => {
    const { db, run } = await open()
    const reports: QueryReport[] = []
    const engine = createEngine({
      db,
      schema,
      limits: { maxLimit: 10_000 },
      onQuery: (report) => reports.push(report),
    })
    await run('create table notes (id integer primary key, text text, parent integer)')
    const notes = Array.from({ length: 700 }, (_, id) => ({ id, text: `"${id}"`, parent: id % 3 || null }))
    await db.insertInto('notes').values(notes).execute()

    const flat = ['id', 'text', 'parent.text']
    const nested = [...flat, 'answers.id']
    const isJson = async (query: object) => {
      const whole = { sort: 'id', ...query }
      reports.length = 0
      const text = await listItemsJson(engine, 'notes', whole)
      // Where there are several connections, rows and their count come in any order.
      const asked = reports.map(({ sql }) => sql)
      expect(JSON.parse(text)).toEqual(await listItems(engine, 'notes', whole))
      return asked.some((text) => /json_(group_array|agg|build_object|object)\(/.test(text))
    }
    // The limit is no part of a query's shape, so all of these share one plan.
    for (const [limit, isShort] of [
      [300, true],
      [301, false],
      [10, true],
      [-1, false],
      [700, false],
    ] as const) {
      expect(await isJson({ fields: flat, limit, page: 1 })).toBe(isShort || name === 'sqlite')
      expect(await isJson({ fields: nested, limit })).toBe(true)
      expect(await isJson({ fields: ['id'], limit, meta: 'filter_count' })).toBe(isShort || name === 'sqlite')
    }
  })
})
