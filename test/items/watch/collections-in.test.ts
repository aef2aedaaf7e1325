// The collections of which a change may change an answer: what happens to any other does not, whatever is asked and by whom.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type EngineInternals, internalsOf } from '../../../src/engine/engine.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  isEngineError,
  listItems,
  type Schema,
} from '../../../src/index.ts'
import { withCallerVariables } from '../../../src/items/caller-variables.ts'
import { listRequest } from '../../../src/items/read/read-request.ts'
import { collectionsIn } from '../../../src/items/watch/collections-in.ts'
import { prepare } from '../../../src/prepared/prepare.ts'
import { randomCaller } from '../../access/caller.ts'
import { randomQuestion } from '../../access/dataset-pairs.ts'
import { removed } from '../../access/removed.ts'
import { ask, engineOn, type Question } from '../../access/requests.ts'
import type { World } from '../../oracle/dataset.ts'
import { difference } from '../../oracle/difference.ts'
import { randomWorld } from '../../oracle/random-rows.ts'
import { randomSchema } from '../../oracle/random-schema.ts'
import { build, demolish } from '../../oracle/tables.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases, type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { createLibrary, schema } from '../../writes/library.ts'

const worlds = drawsOf('collections that are hidden')
const questionsPerWorld = 20

/** The collections on which an answer depends; undefined if the question is refused. */
async function named(
  engine: Engine,
  { collection, query }: Question,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const core: EngineInternals = internalsOf(engine)
    const scoped = await withCallerVariables(core, query)
    const { template } = prepare(listRequest(scoped, collection, query, 'list'), scoped)
    return new Set(collectionsIn(scoped, template.list, query).keys())
  } catch (error) {
    if (isEngineError(error)) return undefined
    throw error
  }
}

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
  })

  it('what happens to other collections changes no answer', async () => {
    const reports: string[] = []
    let unchanged = 0
    let changed = 0
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds && reports.length < 3; seed++) {
      const random = new Random(seed + (name === 'postgres' ? 1_000_003 : 0))
      const world = randomWorld(random, randomSchema(random))
      await build(opened.db, world, name)
      const engine = engineOn(opened.db, world)
      const caller = randomCaller({ random, world, tally: new Map() })
      const asking = engine.as(caller.access)
      for (let number = 0; number < questionsPerWorld; number++) {
        const drawn = randomQuestion(random, new Map(), world, removed(world, caller.reads))
        const question: Question = { ...drawn, verb: drawn.verb === 'text' ? 'text' : 'list' }
        const names = drawn.verb === 'one' ? undefined : await named(asking, question)
        if (!names) continue
        const before = await ask(asking, question)
        for (const collection of Object.keys(world.definition)) {
          const after = await without(engine, world, collection, (inside) =>
            ask(inside.as(caller.access), question),
          )
          const found = difference(after, before)
          if (names.has(collection)) changed += found ? 1 : 0
          else {
            unchanged++
            if (found)
              reports.push(
                `QUERNEL_SEED=${seed}: ${collection} is none of ${[...names]}\n${found}\n${JSON.stringify({ question, access: caller.access })}`,
              )
          }
        }
      }
      await demolish(opened.db, world)
    }
    expect(reports.join('\n\n')).toBe('')
    expect(unchanged).toBeGreaterThan(worlds * 10)
    // What is named is mostly needed.
    expect(changed).toBeGreaterThan(worlds * 5)
  })

  /** What is answered where a collection has lost its rows. */
  async function without<Answer>(
    engine: Engine,
    world: World,
    collection: string,
    work: (inside: Engine) => Promise<Answer>,
  ): Promise<Answer> {
    let answer: { readonly is: Answer } | undefined
    const undone = opened.db.transaction().execute(async (transaction) => {
      const table = world.definition[collection]?.table ?? collection
      await sql`delete from ${sql.table(table)}`.execute(transaction)
      answer = { is: await work(engine.using(transaction)) }
      throw new Error('undone')
    })
    await undone.catch(() => undefined)
    if (!answer) throw new Error(`Nothing was answered without ${collection}.`)
    return answer.is
  }
})

it('names the collections of variables, and those that their rules look at', async () => {
  const { db } = await openSqlite()
  await createLibrary('sqlite', db)
  const engine: Engine<Schema> = createEngine({ db, schema, variables: { $CURRENT_USER: 'authors' } })
  const rules = {
    books: { read: { filter: { title: { _eq: '$CURRENT_USER.name' } } } },
    subjects: { read: true },
    authors: { read: { filter: { books: { _some: { chapters: { _some: { id: { _gt: 0 } } } } } } } },
  }
  const mine = engine.as({ user: 1, rules })
  const of = async (collection: string, query: object) =>
    [...((await named(mine, { verb: 'list', collection, query })) ?? [])].toSorted()
  expect(await of('subjects', { fields: ['name'] })).toEqual(['authors', 'books', 'chapters', 'subjects'])
  const bare = engine.as({ user: 1, rules: { subjects: { read: true }, authors: rules.authors } })
  const ofBare = async (query: object) =>
    [...((await named(bare, { verb: 'list', collection: 'subjects', query })) ?? [])].toSorted()
  expect(await ofBare({ fields: ['name'] })).toEqual(['subjects'])
  expect(await ofBare({ filter: { name: { _eq: '$CURRENT_USER.name' } } })).toEqual([
    'authors',
    'books',
    'chapters',
    'subjects',
  ])
  await expect(listItems(bare, 'subjects')).resolves.toBeDefined()
})

it('names the collections that share a table with one that it names', async () => {
  const { db, run } = await openSqlite()
  await run('create table texts (id integer primary key, title text, body text)')
  const id = { type: 'integer', key: true } as const
  const text = { type: 'string', nullable: true } as const
  const shared = defineSchema({
    texts: { fields: { id, title: text, body: text } },
    titles: { table: 'TEXTS', fields: { id, name: { ...text, column: 'title' }, body: text } },
    others: { fields: { id, title: text } },
  })
  const engine: Engine<Schema> = createEngine({ db, schema: shared })
  const request = listRequest(internalsOf(engine), 'titles', { fields: ['name'] }, 'list')
  const { template } = prepare(request, internalsOf(engine))
  const found = [...collectionsIn(internalsOf(engine), template.list, {})]
  expect(found.map(([name, fields]) => [name, [...fields]])).toEqual([
    ['titles', ['id', 'name']],
    ['texts', ['id', 'title']],
  ])
})
