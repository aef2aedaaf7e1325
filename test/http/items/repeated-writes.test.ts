// Requests that take a transaction of their own: what the database aborts in favor of others is run again, as by the functions.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { requestOf } from '../../support/request-of.ts'

const schema = defineSchema({
  teas: { versioned: true, fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
})

describe.each(databases.filter(({ name }) => name === 'postgres'))('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>

  beforeEach(async () => {
    opened = await open()
    await opened.run('create table teas (id integer primary key, name text not null)')
    await opened.run("insert into teas values (1, 'Assam'), (2, 'Sencha')")
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
  })

  /** Aborts the first change of a table as a conflict does. */
  const conflicting = async (table: string, change: string) => {
    await opened.run('create sequence tries')
    await opened.run(`create function conflict() returns trigger language plpgsql as $$ begin
        if nextval('tries') = 1 then raise exception 'again' using errcode = '40001'; end if;
        return case when tg_op = 'DELETE' then old else new end; end $$`)
    await opened.run(
      `create trigger conflict before ${change} on ${table} for each row execute function conflict()`,
    )
  }
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
    const response = await handler(requestOf(method, path, body, headers))
    const text = await response.text()
    return { status: response.status, data: text === '' ? undefined : JSON.parse(text).data }
  }

  it.each(['PATCH', 'DELETE'])('%s with If-Match', async (method) => {
    await conflicting('teas', 'update or delete')
    const body = method === 'PATCH' ? { name: 'x' } : undefined
    const told: unknown[] = []
    for (const event of ['items.update', 'items.delete'] as const)
      engine.on(event, 'teas', ({ keys }) => told.push(keys), { when: 'after' })
    expect((await send(method, '/items/teas/1', body, { 'if-match': '*' })).status).toBeLessThan(300)
    expect(told).toEqual([[1]])
  })

  it('several versions that are created, updated and deleted', async () => {
    await conflicting('versions', 'insert or update or delete')
    const again = () => sql`alter sequence tries restart`.execute(opened.db)
    const drafts = [1, 2].map((item) => ({ collection: 'teas', item, key: 'draft', name: 'Draft' }))
    const made = await send('POST', '/versions', drafts)
    expect(made.status).toBe(200)
    await again()
    const ids: string[] = made.data.map(({ id }: { id: string }) => id)
    const renamed = await send(
      'PATCH',
      '/versions',
      ids.map((id) => ({ id, name: 'Other' })),
    )
    expect(renamed).toMatchObject({ status: 200, data: [{ name: 'Other' }, { name: 'Other' }] })
    await again()
    expect((await send('DELETE', '/versions', ids)).status).toBe(204)
    expect((await send('GET', '/versions')).data).toEqual([])
  })
})
