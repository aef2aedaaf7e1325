// The statements by hand of `bench/forms` refuse what the rules refuse, and nothing else: else they would be no measure.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDoor } from '../../../bench/forms/doors.ts'
import { type Form, formNames, formOf, openForm, type Verb, verbsOf } from '../../../bench/forms/forms.ts'
import { boundBy, handProgram } from '../../../bench/forms/hand.ts'
import { postgresRuns, type Runs, sqliteRuns } from '../../../bench/forms/hand-runners.ts'
import { isEngineError } from '../../../src/index.ts'
import { type CountedDatabase, countedDatabases } from './counted-database.ts'

interface Case {
  readonly title: string
  /** The note that is there. */
  readonly author: number
  readonly state: string
  /** What is written beside the usual. */
  readonly written: Readonly<Record<string, unknown>>
  readonly verbs: readonly Verb[]
}

const usual: readonly Verb[] = ['update', 'delete', 'upsert']
const cases: readonly Case[] = [
  { title: 'an own note', author: 1, state: 'open', written: {}, verbs: usual },
  { title: "somebody else's note", author: 2, state: 'open', written: {}, verbs: usual },
  { title: 'a shared note', author: 2, state: 'shared', written: {}, verbs: ['update', 'delete'] },
  { title: 'a closed note', author: 1, state: 'closed', written: {}, verbs: ['update', 'delete'] },
  {
    title: 'a closed note, with many views',
    author: 1,
    state: 'closed',
    written: { views: 2_000_000 },
    verbs: ['update'],
  },
  { title: 'a note given away', author: 1, state: 'open', written: { author: 2 }, verbs: ['update'] },
  { title: 'a new note', author: 1, state: 'open', written: {}, verbs: ['create'] },
  {
    title: 'a new note of somebody else',
    author: 1,
    state: 'open',
    written: { author: 2 },
    verbs: ['create'],
  },
]

/** Cases that a form can meet: what it does not write stays. */
const isMet = ({ written }: Case, form: Form, verb: Verb) =>
  written.author === undefined ||
  (verb === 'create' ? !form.leavesAuthorOut : form.written?.author !== undefined)

describe.each(['sqlite', 'postgres'] as const)('by hand on %s', (name) => {
  let opened: CountedDatabase
  let runs: Runs
  beforeAll(async () => {
    opened = await countedDatabases[name](3)
    runs = opened.by === 'sqlite' ? sqliteRuns(opened.database) : postgresRuns(opened.pool, opened.pipelined)
  })
  afterAll(() => opened.close())

  /** Whether something was written, and the note that is there then. */
  const writtenBy = async ({ author, state }: Case, write: () => Promise<boolean>) => {
    for (const statement of [
      'delete from comments',
      'delete from notes',
      `insert into notes (id, title, author, state) values (1, 'Title', ${author}, '${state}')`,
    ])
      await sql.raw(statement).execute(opened.db)
    const isWritten = await write()
    const { rows } = await sql
      .raw('select title, views, state, author from notes order by id')
      .execute(opened.db)
    return { isWritten, rows }
  }

  it.each(formNames.filter((form) => formOf(form).rules))('refuses what "%s" refuses', async (title) => {
    const form = formOf(title)
    const engine = openForm(form, opened.db)
    let refused = 0
    for (const verb of verbsOf(form))
      for (const each of cases.filter((each) => each.verbs.includes(verb) && isMet(each, form, verb))) {
        const changed = { ...form, written: { ...form.written, ...each.written } }
        const write = openDoor.id(verb, changed, engine)
        const ruled = await writtenBy(each, async () => {
          try {
            await write(1)
            return true
          } catch (error) {
            if (!isEngineError(error)) throw error
            return false
          }
        })
        const run = runs(handProgram(name, title, verb, 'id'))
        const byHand = await writtenBy(each, async () => (await run(boundBy(changed, verb, 1))).changes > 0)
        expect(byHand, `${verb} of ${each.title}`).toEqual(ruled)
        if (!ruled.isWritten) refused++
      }
    expect(refused).toBeGreaterThan(0)
  })
})
