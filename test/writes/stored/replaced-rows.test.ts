// What a call returns as written is stored, also where a table of SQLite lets a row take away another one that stands in its way.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  updateByQuery,
  updateEach,
  updateItems,
} from '../../../src/index.ts'
import { judging } from '../../../src/writes/context/row-template.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { key, maybeOne, text } from '../../support/fields.ts'

const schemaOf = () =>
  defineSchema({
    teas: { fields: { id: key, name: text, parent: maybeOne('teas') } },
  })

describe('rows that replace each other', () => {
  let opened: OpenDatabase
  let engine: Engine<ReturnType<typeof schemaOf>>
  beforeEach(async () => {
    opened = await openSqlite()
    await opened.run(
      'create table teas (id integer primary key, name text unique on conflict replace, parent integer)',
    )
    await opened.run("insert into teas values (1, 'mint', null), (2, 'sage', null)")
    engine = createEngine({ db: opened.db, schema: schemaOf() })
  })
  afterEach(async () => {
    judging.isByStatement = true
  })
  const stored = async () => await opened.run('select id, name from teas order by id')
  const before = [
    { id: 1, name: 'mint' },
    { id: 2, name: 'sage' },
  ]
  const items = [{ name: 'green' }, { name: 'black' }, { name: 'green' }]
  const all = { teas: { create: true, read: true, update: true } } as const
  const some = { teas: { create: { fields: ['name'] }, read: { filter: { id: { _gt: 0 } } } } } as const
  const refused = { code: 'RECORD_NOT_UNIQUE', status: 400 }

  const callers = {
    'without rules': () => engine,
    'under rules that allow all': () => engine.as({ user: 1, rules: all }),
    'under rules that allow some': () => engine.as({ user: 1, rules: some }),
    'with a hook': () => {
      engine.on('items.create', 'teas', ({ payload }) => payload, { when: 'before' })
      return engine
    },
  }
  for (const [who, caller] of Object.entries(callers))
    for (const fields of [['id'], ['id', 'name']] as const)
      for (const isByStatement of [true, false])
        it(`fail a creation ${who}, asked for ${fields.join(' and ')}${isByStatement ? '' : ', each by itself'}`, async () => {
          judging.isByStatement = isByStatement
          await expect(createItems(caller(), 'teas', items, { fields })).rejects.toMatchObject(refused)
          expect(await stored()).toEqual(before)
        })

  it('fail a creation of items nested in each other', async () => {
    const nested = createItem(engine, 'teas', { name: 'green', parent: { name: 'green' } })
    await expect(nested).rejects.toMatchObject(refused)
    expect(await stored()).toEqual(before)
  })

  it('fail updates of several items', async () => {
    const alike = updateItems(engine, 'teas', [1, 2], { name: 'green' }, { fields: ['id'] })
    await expect(alike).rejects.toMatchObject(refused)
    const each = updateEach(engine, 'teas', [
      { id: 1, name: 'green' },
      { id: 2, name: 'green' },
    ])
    await expect(each).rejects.toMatchObject(refused)
    const found = updateByQuery(engine, 'teas', { filter: { id: { _gt: 0 } } }, { name: 'green' })
    await expect(found).rejects.toMatchObject(refused)
    expect(await stored()).toEqual(before)
  })

  it('leave a call alone that replaces rows of earlier ones', async () => {
    expect(
      await createItems(engine, 'teas', [{ name: 'mint' }, { name: 'green' }], { fields: ['name'] }),
    ).toEqual([{ name: 'mint' }, { name: 'green' }])
    expect(
      await updateByQuery(engine, 'teas', { filter: { name: 'green' } }, { name: 'sage' }),
    ).toMatchObject({
      updated: 1,
    })
    expect((await stored()).map((row) => Object(row).name)).toEqual(['mint', 'sage'])
  })
})
