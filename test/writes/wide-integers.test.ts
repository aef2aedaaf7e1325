// Integers have 32 bits on every database, in whatever is written; what is stored is read as it is.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  compareVersion,
  createEngine,
  createItem,
  createItems,
  createVersion,
  defineSchema,
  getItem,
  listItems,
  promoteVersion,
  saveVersion,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { key, maybeOne, number, text } from '../support/fields.ts'

const large = 2 ** 31
const schema = defineSchema({
  things: {
    versioned: true,
    fields: {
      id: key,
      size: number,
      wide: { type: 'integer', wide: true, nullable: true },
      counted: { type: 'integer', defaulted: true },
      sizes: { type: 'integer', array: true, nullable: true },
      parent: maybeOne('things'),
      kind: text,
      about: { type: 'any', to: ['things'], by: 'kind', nullable: true },
      parts: { type: 'o2m', from: 'parts.thing', sort: 'place' },
    },
  },
  parts: { fields: { id: key, thing: maybeOne('things'), place: number } },
})
const refused = {
  code: 'VALUE_OUT_OF_RANGE',
  message: `"size" takes a whole number of 32 bits, not ${large}.`,
  hint: 'Declare it with wide: true where the column holds 64 bits, or as bigInteger.',
}

describe.each(databases)('an integer on $name', ({ name, open }) => {
  let database: OpenDatabase
  const engine = () => createEngine({ db: database.db, schema })
  beforeEach(async () => {
    database = await open()
    const list = sql.raw(name === 'sqlite' ? 'text' : 'integer[]')
    await sql`create table things (id bigint primary key, size bigint, wide bigint, counted bigint not null default 7,
      sizes ${list}, parent bigint, kind text, about text)`.execute(database.db)
    await database.run('create table parts (id bigint primary key, thing bigint, place bigint)')
    await engine().install()
    await createItem(engine(), 'things', { id: 1, size: 2 ** 31 - 1 })
  })

  it('of more than 32 bits is refused by every verb', async () => {
    const given = { size: large }
    await expect(createItem(engine(), 'things', { id: 2, ...given })).rejects.toMatchObject(refused)
    await expect(createItems(engine(), 'things', [{ id: 2, ...given }])).rejects.toMatchObject(refused)
    await expect(updateItem(engine(), 'things', 1, given)).rejects.toMatchObject(refused)
    await expect(updateItems(engine(), 'things', [1], given)).rejects.toMatchObject(refused)
    await expect(updateByQuery(engine(), 'things', { limit: -1 }, given)).rejects.toMatchObject(refused)
    await expect(updateItem(engine(), 'things', 1, { parent: { id: 2, ...given } })).rejects.toMatchObject({
      ...refused,
      path: ['parent', 'size'],
    })
    await expect(createVersion(engine(), 'things', 1, { key: 'a', delta: given })).rejects.toMatchObject(
      refused,
    )
    await createVersion(engine(), 'things', 1, { key: 'b' })
    await expect(saveVersion(engine(), 'things', 1, 'b', given)).rejects.toMatchObject(refused)
    await expect(updateItem(engine(), 'things', 1, { sizes: [1, large] })).rejects.toMatchObject({
      code: 'VALUE_OUT_OF_RANGE',
      path: ['sizes'],
    })
    expect((await listItems(engine(), 'things', { fields: ['size'] })).data).toEqual([{ size: large - 1 }])
  })

  it('is no default of more', () => {
    const size = { type: 'integer', default: large } as const
    expect(() => defineSchema({ things: { fields: { id: key, size } } })).toThrow(
      expect.objectContaining({ code: 'INVALID_SCHEMA', path: ['things', 'fields', 'size', 'default'] }),
    )
  })

  it('may be as large as a number where it is wide, a key, leads to one, or is counted by the database', async () => {
    const id = Number.MAX_SAFE_INTEGER
    const item = { id, wide: id, counted: id, parent: id, kind: 'things', about: String(id) }
    expect(await createItem(engine(), 'things', item)).toMatchObject(item)
    expect(await createItems(engine(), 'things', [{ id: large, wide: -id }])).toMatchObject([
      { id: large, wide: -id, counted: 7 },
    ])
    expect(await updateItem(engine(), 'things', large, { parent: large })).toMatchObject({ parent: large })
  })

  it('of more than 32 bits in a version from before is not promoted', async () => {
    await createVersion(engine(), 'things', 1, { key: 'old', delta: { wide: 1 } })
    await sql`update versions set delta = ${JSON.stringify({ size: large })}`.execute(database.db)
    const { mainHash } = await compareVersion(engine(), 'things', 1, 'old')
    const promoted = promoteVersion(engine(), 'things', 1, 'old', { mainHash })
    await expect(promoted).rejects.toMatchObject(refused)
  })

  it('is read, found and kept in order as it is stored', async () => {
    await database.run('update things set size = 3000000000')
    await database.run('insert into parts values (1, 1, 3000000000), (2, 1, 3000000001)')
    const found = await listItems(engine(), 'things', {
      filter: { size: { _gt: large } },
      fields: ['size', 'parts'],
    })
    expect(found.data).toEqual([{ size: 3_000_000_000, parts: [1, 2] }])
    // What is not given is not judged.
    await updateItem(engine(), 'things', 1, { wide: 5, parts: { create: [], update: [], delete: [2] } })
    expect(await getItem(engine(), 'things', 1)).toMatchObject({ size: 3_000_000_000, wide: 5, parts: [1] })
  })
})
