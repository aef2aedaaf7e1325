// Mutations that the database aborts in favor of others, and the order in which they lock.
import { PostgresDialect, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerGraphQL, graphql } from '../../../src/graphql.ts'
import { createHandler } from '../../../src/http.ts'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteItem,
  type Engine,
  listItems,
  updateItem,
} from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { openTampered } from '../../execution/tampered-pool.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { integer, key, many, maybeOne, string } from '../../support/fields.ts'
import { waiting } from '../../support/wait-until.ts'

const schema = defineSchema({
  teas: { fields: { id: key, name: string, sold: integer, farm: maybeOne('farms') } },
  farms: { fields: { id: key, name: string, teas: many('teas.farm') } },
})

describe.each(databases.filter(({ name }) => name === 'postgres'))('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>

  beforeEach(async () => {
    opened = await open()
    await opened.run(
      'create table farms (id integer primary key, name text not null)',
      'create table teas (id integer primary key, name text not null, sold integer not null, farm integer references farms)',
      "insert into farms values (1, 'Hill'), (2, 'Lake')",
      "insert into teas values (1, 'Assam', 0, 1), (2, 'Sencha', 0, 2)",
    )
    engine = createEngine({ db: opened.db, schema, acquireTimeoutMs: 600_000 })
  })

  /** Aborts the first writes to a table as a conflict does. */
  const conflicting = async (times: number) => {
    await opened.run('create sequence tries')
    await opened.run(`create function conflict() returns trigger language plpgsql as $$ begin
        if nextval('tries') <= ${times} then raise exception 'again' using errcode = '40001'; end if;
        return new; end $$`)
    await opened.run('create trigger conflict before update on teas for each row execute function conflict()')
  }
  /** How often the triggers have run. */
  const tries = async () => {
    const { rows } = await sql<{ n: number }>`select last_value::int as n from tries`.execute(opened.db)
    return rows[0]?.n
  }

  const ask = async (query: string, by: Engine = engine, atomic = true) =>
    JSON.parse(await answerGraphQL(by, { query }, { atomic }))
  const names = async () => (await listItems(engine, 'teas', { fields: ['name'] })).data

  it.each([
    'mutation { update_teas_item(id: 1, data: { name: "x" }) { name } }',
    'mutation { made: create_farms_item(data: { id: 3, name: "Dell" }) { name } update_teas_item(id: 1, data: { name: "x" }) { name } }',
    'mutation { update_teas_items(ids: [1], data: { name: "x" }) { name } }',
  ])('is run again as a whole, and told of once: %s', async (query) => {
    await conflicting(2)
    const told: unknown[] = []
    engine.on('items.update', 'teas', ({ keys }) => told.push(keys), { when: 'after' })
    engine.on('items.create', 'farms', ({ keys }) => told.push(keys), { when: 'after' })
    const { data, errors } = await ask(query)
    expect(errors).toBeUndefined()
    expect(Object.keys(data).at(-1)).toMatch(/^update/)
    expect(await tries()).toBe(3)
    expect(told).toEqual(query.includes('made') ? [[3], [1]] : [[1]])
    expect(await names()).toEqual([{ name: 'x' }, { name: 'Sencha' }])
  })

  it('fields in transactions of their own are run again, too', async () => {
    await conflicting(2)
    const query = 'mutation { a: update_teas_item(id: 1, data: { name: "x" }) { name } }'
    expect(await ask(query, engine, false)).toEqual({ data: { a: { name: 'x' } } })
  })

  it('what never succeeds is rolled back after a few times', async () => {
    await conflicting(1_000)
    const answer = await ask('mutation { a: update_teas_item(id: 1, data: { name: "x" }) { name } }')
    expect(answer).toMatchObject({ data: null, errors: [{ path: ['a'] }], extensions: { rolledBack: true } })
    expect(await tries()).toBe(5)
    expect(await names()).toEqual([{ name: 'Assam' }, { name: 'Sencha' }])
  })

  it('the transaction of a host is not run again', async () => {
    await conflicting(1)
    await opened.db.transaction().execute(async (transaction) => {
      const answer = await ask(
        'mutation { a: update_teas_item(id: 1, data: { name: "x" }) { name } }',
        engine.using(transaction),
      )
      expect(answer.data).toBeNull()
    })
    expect(await tries()).toBe(1)
  })

  it('what deadlocks is run again', async () => {
    await opened.run(`create function other() returns trigger language plpgsql as $$ begin
        if pg_trigger_depth() > 1 then return new; end if;
        perform pg_sleep(0.1);
        update teas set sold = sold + 1 where id = 3 - new.id;
        return new; end $$`)
    await opened.run('create trigger other after update on teas for each row execute function other()')
    const answers = await Promise.all(
      [1, 2].map((id) => ask(`mutation { a: update_teas_item(id: ${id}, data: { name: "x" }) { name } }`)),
    )
    expect(answers).toEqual([{ data: { a: { name: 'x' } } }, { data: { a: { name: 'x' } } }])
    expect(await listItems(engine, 'teas', { fields: ['sold'] })).toEqual({
      data: [{ sold: 1 }, { sold: 1 }],
    })
  })

  it.each([
    [
      'keys',
      [
        'a: update_teas_item(id: 1, data: { sold: 1 }) { id }',
        'b: update_teas_item(id: 2, data: { sold: 1 }) { id }',
      ],
    ],
    [
      'lists of keys',
      [
        'a: update_teas_items(ids: [1], data: { sold: 1 }) { id }',
        'b: update_teas_batch(data: [{ id: 2, sold: 1 }]) { id }',
      ],
    ],
    [
      'keys inside of payloads',
      [
        'a: update_farms_item(id: 1, data: { teas: [{ id: 1, sold: 1 }] }) { id }',
        'b: update_farms_item(id: 2, data: { teas: [{ id: 2, sold: 1 }] }) { id }',
      ],
    ],
    [
      'keys of several collections',
      [
        'a: update_teas_item(id: 1, data: { sold: 1 }) { id }',
        'b: update_farms_item(id: 1, data: { name: "x" }) { id }',
      ],
    ],
  ])('mutations with %s in another order wait for each other, without a deadlock', async (_title, fields) => {
    let asked = 0
    engine.on('items.update', () => void asked++, { when: 'before' })
    await ask(`mutation { ${fields.join(' ')} }`)
    const askedByOne = asked
    // Whoever begins waits for this row, so that all have begun.
    const works: Promise<{ errors: unknown }>[] = []
    await opened.db.transaction().execute(async (transaction) => {
      await sql`update teas set sold = 0`.execute(transaction)
      for (let index = 0; index < 8; index++) {
        const ordered = index % 2 === 0 ? fields : fields.toReversed()
        works.push(ask(`mutation { ${ordered.join(' ')} }`))
      }
      await waiting(opened, works, 'teas')
    })
    const answers = await Promise.all(works)
    expect(answers.map(({ errors }) => errors)).toEqual(Array(8).fill(undefined))
    // None of them has begun again.
    expect(asked).toBe(9 * askedByOne)
  })

  it('what the caller does not see is not locked before', async () => {
    const rules = { teas: { read: { filter: { id: 1 } }, update: true } } as const
    const narrowed: Engine = engine.as({ rules })
    await opened.db.transaction().execute(async (transaction) => {
      await sql`update teas set sold = 7 where id = 2`.execute(transaction)
      const query =
        'mutation { a: update_teas_item(id: 1, data: { sold: 1 }) { id } b: update_teas_item(id: 2, data: { sold: 1 }) { id } }'
      const { errors } = await ask(query, narrowed)
      expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'NOT_FOUND' } }])
    })
  })
})

describe('a mutation', () => {
  const calls: readonly (readonly [string, (engine: Engine<typeof schema>) => Promise<unknown>])[] = [
    [
      'mutation { create_farms_item(data: { id: 9, name: "Dell" }) { id name } }',
      (engine) => createItem(engine, 'farms', { id: 9, name: 'Dell' }, { fields: ['id', 'name'] }),
    ],
    [
      'mutation { update_farms_item(id: 9, data: { name: "Vale" }) { id name } }',
      (engine) => updateItem(engine, 'farms', 9, { name: 'Vale' }, { fields: ['id', 'name'] }),
    ],
    ['mutation { delete_farms_item(id: 9) { id } }', (engine) => deleteItem(engine, 'farms', 9)],
  ]

  it('of one field sends what the function sends, in no transaction that would meet others for longer', async () => {
    const opened = await openTampered((pool) => postgresDialect({ pool }))
    await sql.raw('create table farms (id integer primary key, name text not null)').execute(opened.db)
    const engine = createEngine({ db: opened.db, schema })
    const sentBy = async (works: readonly (() => Promise<unknown>)[]) => {
      opened.sent.length = 0
      for (const work of works) await work()
      return opened.sent.filter((text) => /^(?:begin|commit|rollback|savepoint|release)/.test(text))
    }
    const mutations = calls.map(([query]) => async () => {
      const { errors } = JSON.parse(await answerGraphQL(engine, { query }))
      expect(errors).toBeUndefined()
    })
    const functions = calls.map(
      ([, call]) =>
        () =>
          call(engine),
    )
    const expected = await sentBy(functions)
    expect(await sentBy(mutations)).toEqual(expected)
  })

  it.each([
    'mutation { a: create_farms_item(data: { id: 1, name: "Dell" }) { id } b: create_farms_item(data: { id: 2, name: "Vale" }) { id } }',
    'mutation { a: create_farms_items(data: [{ id: 1, name: "Dell" }, { id: 2, name: "Vale" }]) { id } }',
  ])('whose commit may have been heard is not said to be rolled back: %s', async (query) => {
    const opened = await openTampered((pool) => new PostgresDialect({ pool }))
    await sql.raw('create table farms (id integer primary key, name text not null)').execute(opened.db)
    const engine = createEngine({ db: opened.db, schema, onError: () => undefined })
    const handler = createHandler(engine, {
      authenticate: () => ({ admin: true }),
      onError: () => undefined,
      mounts: [graphql()],
    })
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const request = new Request(`http://localhost${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return (await handler(request)).json()
    }
    const farms = [
      { id: 3, name: 'Dale' },
      { id: 4, name: 'Fell' },
    ]
    // The second is unexpected: no driver says it of a lost connection.
    for (const [lost, code] of [
      [Object.assign(new Error('The answer was lost.'), { code: 'ECONNRESET' }), 'SERVICE_UNAVAILABLE'],
      [new Error('The pool has a flaw.'), 'INTERNAL_SERVER_ERROR'],
    ] as const) {
      const doubt = { extensions: { code, mayBeStored: true } }
      opened.on = (text) => (text === 'commit' ? lost : undefined)
      const call = createItems(engine, 'farms', farms, { fields: ['id'] })
      await expect(call).rejects.toMatchObject({ code, extensions: { mayBeStored: true } })
      const answer = JSON.parse(await answerGraphQL(engine, { query }))
      expect(answer).toMatchObject({ data: null, errors: [doubt] })
      expect(answer.extensions).toBeUndefined()
      expect(await post('/graphql', { query })).toMatchObject({ data: null, errors: [doubt] })
      expect(await post('/items/farms?fields=id', farms)).toMatchObject({ errors: [doubt] })
      opened.on = () => undefined
    }
  })
})
