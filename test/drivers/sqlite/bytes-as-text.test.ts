// Bytes in columns of text, in whatever form a driver of SQLite hands them over.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  getItem,
  listItems,
  listItemsJson,
  updateItem,
} from '../../../src/index.ts'
import { drivers } from '../../support/drivers.ts'

const schema = defineSchema({
  notes: {
    fields: {
      id: { type: 'integer', key: true },
      text: { type: 'string', storage: 'mixed' },
      parent: { type: 'm2o', to: 'notes', nullable: true },
      below: { type: 'o2m', from: 'notes.parent' },
    },
  },
})

const broken = 'a\uFFFDb'

describe.each(drivers.filter(({ name }) => name === 'sqlite'))('by $title', ({ open }) => {
  it('bytes in a column of text are text, and what spells none is told and kept', async () => {
    const { db, run } = await open()
    const heard: unknown[] = []
    const engine = createEngine({ db, schema, onError: (error) => heard.push(error) })
    await run('create table notes (id integer primary key, text text, parent integer)')
    await run("insert into notes values (1, cast('tea' as blob), null), (2, x'61ff62', 1), (3, 'tea', 1)")
    const fields = ['text', 'below.text'] as const
    const below = [{ text: broken }, { text: 'tea' }]
    expect(await getItem(engine, 'notes', 1, { fields: [...fields] })).toEqual({ text: 'tea', below })
    const query = { fields: ['id', 'text'], filter: { text: 'tea' } } as const
    const data = [
      { id: 1, text: 'tea' },
      { id: 3, text: 'tea' },
    ]
    expect(await listItems(engine, 'notes', query)).toEqual({ data })
    expect(JSON.parse(await listItemsJson(engine, 'notes', query))).toEqual({ data })
    expect(heard).toHaveLength(1)
    await updateItem(engine, 'notes', 2, { text: broken })
    const { rows } = await sql`select typeof(text) as kind from notes where id = 2`.execute(db)
    expect(rows).toEqual([{ kind: 'blob' }])
  })
})
