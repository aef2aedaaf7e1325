// Writes by query that reach rows whose key cannot be read: they are written by what needs no key, or refused in words.
import { beforeEach, describe, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import {
  createEngine,
  defineSchema,
  deleteByQuery,
  type Engine,
  listItems,
  updateByQuery,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const n = { type: 'integer' } as const
const schema = defineSchema({
  tags: { fields: { id: { type: 'string', key: true }, n } },
  marks: { fields: { id: { type: 'integer', key: true }, n } },
  seats: { key: ['line', 'place'], fields: { line: { type: 'integer' }, place: { type: 'string' }, n } },
})
const names = ['tags', 'marks', 'seats'] as const
const rule = { read: true, update: { fields: ['n'], validation: { n: { _gt: 0 } } }, delete: true } as const
const refused = {
  code: 'UNPROCESSABLE_CONTENT',
  message: expect.stringMatching(/^A row of "\w+" has a key that cannot be read\.$/),
  hint: expect.stringContaining('_nnull'),
}

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  beforeEach(async () => {
    opened = await open()
    await opened.run(
      'create table tags (id varchar(9), n integer)',
      'create table marks (id integer, n integer)',
      'create table seats (line integer, place varchar(9), n integer)',
      "insert into tags values ('a', 1), (null, 1)",
      'insert into marks values (1, 1), (null, 1)',
      "insert into seats values (1, 'a', 1), (1, null, 1), (null, null, 1)",
    )
  })
  const rowsOf = async (engine: Engine<typeof schema>, name: (typeof names)[number]) =>
    (await listItems(engine, name, { fields: ['n'] })).data.map((row) => row.n)

  it.each(names)('all of %s are written, or none and it is said why', async (name) => {
    const plain = createEngine({ db: opened.db, schema })
    const hooked = createEngine({ db: opened.db, schema })
    for (const event of ['items.update', 'items.delete'] as const)
      hooked.on(event, () => undefined, { when: 'before' })
    const ruled = plain.as({ user: 1, rules: { tags: rule, marks: rule, seats: rule } })
    let value = 1
    for (const engine of [plain, hooked, ruled])
      for (const query of [
        { filter: { n: { _gt: 0 } } },
        { filter: { n: { _gt: 0 } }, limit: 9, sort: ['n'] },
      ]) {
        const before = await rowsOf(plain, name)
        value += 1
        const updated = await updateByQuery(engine, name, query as never, { n: value }).catch(
          (error: unknown) => error,
        )
        const after = await rowsOf(plain, name)
        if (updated instanceof Error) {
          expect(updated).toMatchObject(refused)
          expect(after).toEqual(before)
        } else {
          expect(updated).toEqual({ updated: before.length })
          expect(after).toEqual(before.map(() => value))
        }
        await expect(
          updateByQuery(engine, name, query as never, { n: 9 }, { dryRun: true }),
        ).rejects.toMatchObject(refused)
      }
    // What has a key is written as ever.
    const [field] = name === 'seats' ? ['place'] : ['id']
    const known = { filter: { [String(field)]: { _nnull: true } } }
    expect(await updateByQuery(hooked, name, known as never, { n: 7 })).toMatchObject({ updated: 1 })
    const handler = createHandler(hooked, { authenticate: () => ({ admin: true }) })
    const answer = await handler(
      new Request(`http://localhost/items/${name}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: { filter: { n: { _gt: 0 } } }, data: { n: 8 } }),
      }),
    )
    expect(answer.status).toBe(422)
    const count = (await rowsOf(plain, name)).length
    const deleted = await deleteByQuery(plain, name, { filter: { n: { _gt: 0 } } } as never).catch(
      (error: unknown) => error,
    )
    if (deleted instanceof Error) expect(deleted).toMatchObject(refused)
    else expect(deleted).toEqual({ deleted: count })
    expect(await rowsOf(plain, name)).toHaveLength(deleted instanceof Error ? count : 0)
  })
})
