// A list of upserts under rules that look at other rows of its table means its items one after the other: what an item changes decides who sees the next.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  isEngineError,
  upsertItem,
  upsertItems,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, many, one, string } from '../../support/fields.ts'

const schema = defineSchema({
  teams: { fields: { id: key, notes: many('notes.team') } },
  notes: { fields: { id: key, code: { ...string, unique: true }, team: one('teams'), state: string } },
})
const byTeam = (notes: object) => ({ filter: { _or: [{ code: 'a' }, { team: { notes } }] } })
/** Who sees a note beside the first one. */
const sights = {
  'whose team has no closed note': byTeam({ _none: { state: 'closed' } }),
  'whose team has an open note': byTeam({ _some: { state: 'open' } }),
}
const states = ['open', 'closed', 'new'] as const
const ons = ['id', 'code'] as const
const wheres = [undefined, { team: { notes: { _none: { state: 'closed' } } } }] as const

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let events: string[]
  beforeEach(async () => {
    opened = await open()
    await opened.run(
      'create table teams (id integer primary key)',
      'create table notes (id integer primary key, code varchar(9) unique, team integer, state varchar(9))',
      'insert into teams values (1)',
    )
    events = []
  })
  const rows = () => opened.run('select * from notes order by id')
  const fresh = (state: string) =>
    opened.run(
      'delete from notes',
      `insert into notes values (1, 'a', 1, '${state}'), (2, 'b', 1, '${state}'), (3, 'c', 1, '${state}')`,
    )
  const outcomeOf = async (call: () => Promise<unknown>) => {
    events = []
    const answer = await call().catch((error: unknown) =>
      isEngineError(error)
        ? (error.errors ?? [error]).map(({ code, message }) => ({ code, message }))
        : error,
    )
    return { answer, events, rows: await rows() }
  }

  for (const [title, read] of Object.entries(sights))
    it.each([true, false])(`rows are seen ${title}, with hooks: %s`, async (isHooked) => {
      const engine = createEngine({ db: opened.db, schema })
      if (isHooked)
        for (const event of ['items.create', 'items.update'] as const) {
          engine.on(event, 'notes', () => undefined, { when: 'before' })
          engine.on(event, 'notes', ({ keys }) => void events.push(`${event} ${keys}`), { when: 'after' })
        }
      const rules = { teams: { read: true }, notes: { read, create: true, update: true } }
      const caller = engine.as({ user: 1, rules } as never) as unknown as Engine
      for (const stored of states)
        for (const written of states)
          for (const on of ons)
            for (const where of wheres) {
              const items = [
                { id: 1, code: 'a', team: 1, state: written },
                { id: 2, code: 'b', team: 1, state: 'new' },
                { id: 4, code: 'd', team: 1, state: 'new' },
                { id: 3, code: 'c', team: 1, state: 'last' },
              ]
              const query = { fields: ['id'] }
              const options = { on, ...(where && { where }) } as never
              await fresh(stored)
              const each = await outcomeOf(() =>
                caller.transaction(async (inside) => {
                  const answers: unknown[] = []
                  for (const item of items)
                    answers.push(await upsertItem(inside, 'notes', item, query, options))
                  return answers
                }),
              )
              await fresh(stored)
              const list = await outcomeOf(() => upsertItems(caller, 'notes', items, query, options))
              const name = `${stored} ${written} by ${on} ${where ? 'where' : ''}`
              expect({ name, rows: list.rows }).toEqual({ name, rows: each.rows })
              const isRefused = JSON.stringify(each.answer).includes('code')
              if (isRefused) expect({ name, ...list }).toEqual({ name, ...each })
              else expect({ name, events: list.events }).toEqual({ name, events: each.events })
            }
    })
})
