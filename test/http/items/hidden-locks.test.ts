// Nobody waits for a row that is hidden from them: how long an answer takes would tell that the row exists.
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { createEngine, defineSchema, type Engine, updateSingleton } from '../../../src/index.ts'
import { type OpenDatabase, openPostgres } from '../../support/databases.ts'
import { requestOf } from '../../support/request-of.ts'

const id = { type: 'integer', key: true } as const
const schema = defineSchema({
  notes: { fields: { id, open: { type: 'boolean' }, text: { type: 'string' } } },
  site: { singleton: true, fields: { id, open: { type: 'boolean' }, text: { type: 'string' } } },
})
const shown = { filter: { open: true } }
const access = {
  rules: { notes: { read: shown, update: true, delete: true }, site: { read: shown, update: true } },
} as const

let opened: OpenDatabase
let engine: Engine<typeof schema>
beforeEach(async () => {
  opened = await openPostgres()
  await opened.run(
    'create table notes (id integer primary key, open boolean, text text)',
    'create table site (id integer primary key, open boolean, text text)',
    "insert into notes values (1, true, 'a'), (2, false, 'b')",
    "insert into site values (1, false, 'a')",
  )
  engine = createEngine({ db: opened.db, schema })
})

/** Answers while somebody else has changed the hidden rows, and not committed. */
async function whileHeld<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const held = await opened.db.startTransaction().execute()
  try {
    await sql`update notes set text = 'held' where id = 2`.execute(held)
    await sql`update site set text = 'held'`.execute(held)
    return await ask()
  } finally {
    await held.rollback().execute()
  }
}

const send = async (method: string, path: string, body?: object) => {
  const handler = createHandler(engine, { authenticate: () => access })
  const response = await handler(requestOf(method, `/items/${path}`, body, { 'if-match': '*' }))
  return response.status
}

it.each(['PATCH', 'DELETE'])('%s with If-Match does not wait for a hidden item', async (method) => {
  const body = method === 'PATCH' ? { text: 'mine' } : undefined
  expect(await whileHeld(() => send(method, 'notes/2', body))).toBe(404)
  expect(await whileHeld(() => send(method, 'notes/3', body))).toBe(404)
  expect(await whileHeld(() => send(method, 'notes/1', body))).toBe(method === 'PATCH' ? 200 : 204)
})

it('a hidden item of a singleton is not waited for, and answers as if there were none', async () => {
  const mine = engine.as(access)
  const hidden = await whileHeld(() =>
    updateSingleton(mine, 'site', { text: 'mine' }).catch((error) => error),
  )
  expect(await whileHeld(() => send('PATCH', 'site', { text: 'mine' }))).toBe(403)
  await opened.run('delete from site')
  const none = await updateSingleton(mine, 'site', { text: 'mine' }).catch((error) => error)
  expect([hidden.code, hidden.message, hidden.path]).toEqual([none.code, none.message, none.path])
})

it('a visible item of a singleton is changed by one who may not create it', async () => {
  await opened.run('update site set open = true')
  expect(await updateSingleton(engine.as(access), 'site', { text: 'mine' })).toMatchObject({ text: 'mine' })
  expect(await send('PATCH', 'site', { text: 'ours' })).toBe(200)
})
