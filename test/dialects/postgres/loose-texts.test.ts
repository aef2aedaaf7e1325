// Columns of PostgreSQL whose collation takes different texts for equal: a server may look for no part of such a text.
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import {
  type Access,
  createEngine,
  createItem,
  defineSchema,
  deleteByQuery,
  type Engine,
  listItems,
  type Schema,
  updateByQuery,
} from '../../../src/index.ts'
import { createFeed, localSource, watchItems } from '../../../src/realtime.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, string } from '../../support/fields.ts'

const schema: Schema = defineSchema({ words: { fields: { id: key, word: string, plain: string } } })

/** What writes answer says nothing here: they meet no row. */
const anything: unknown = expect.anything()

const refused = { code: 'INVALID_QUERY', message: expect.stringContaining('takes different texts for equal') }

describe.each(databases.filter(({ name }) => name === 'postgres'))('on $name', ({ open }) => {
  let opened: OpenDatabase
  let whole: Engine
  beforeAll(async () => {
    opened = await open()
    await opened.run(
      "create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      'create table words (id int primary key, word text collate loose not null, plain text not null)',
      "insert into words values (1, 'Abc', 'Abc'), (2, 'def', 'def')",
    )
    whole = createEngine({ db: opened.db, schema })
  })

  const words = ['contains', 'icontains', 'starts_with', 'istarts_with', 'ends_with', 'iends_with'] as const
  const filters = words
    .flatMap((word) => [`_${word}`, `_n${word}`])
    .map((operator) => [operator, { word: { [operator]: 'b' } }, { plain: { [operator]: 'b' } }] as const)

  it.each(filters)('%s of such a column is refused or right, by every door', async (_, filter, plain) => {
    const rules = { words: { read: { filter }, update: { filter }, delete: { filter } } }
    const caller = whole.as({ rules })
    const feed = createFeed(whole, { source: localSource() })
    const firstOf = async (access: Access, query: object) => {
      const { value } = await watchItems(feed.as(access), 'words', query).next()
      return value?.kind === 'snapshot' && value.ids
    }
    const { data: expected } = await listItems(whole, 'words', { filter: plain })
    const ids = expected.map(({ id }) => String(id))
    const none = { id: 3 }
    const doors: readonly (readonly [() => Promise<unknown>, unknown])[] = [
      [async () => (await listItems(whole, 'words', { filter })).data, expected],
      [
        async () => (await listItems(whole, 'words', { aggregate: { count: '*' }, filter })).data,
        [{ count: ids.length }],
      ],
      [async () => (await listItems(whole, 'words', { filter, meta: '*' })).meta?.filter_count, ids.length],
      [async () => (await listItems(caller, 'words')).data, expected],
      [() => updateByQuery(whole, 'words', { filter: { ...filter, ...none } }, { plain: 'x' }), anything],
      [() => updateByQuery(caller, 'words', { filter: none }, { plain: 'x' }), anything],
      [() => deleteByQuery(whole, 'words', { filter: { ...filter, ...none } }), anything],
      [() => deleteByQuery(caller, 'words', { filter: none }), anything],
      [() => firstOf({ admin: true }, { filter }), ids],
      [() => firstOf({ rules }, {}), ids],
    ]
    const answers = await Promise.allSettled(doors.map(([ask]) => ask()))
    for (const [index, answer] of answers.entries())
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject(refused)
      else expect(answer.value).toEqual(doors[index]?.[1])
    await feed.stop()
  })

  it('a search in such a column is the fault of the query over HTTP', async () => {
    const handle = createHandler(whole, {
      authenticate: () => ({ admin: true }),
      onError: () => expect.unreachable(),
    })
    const answer = await handle(new Request('http://host/items/words?search=b'))
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ errors: [{ message: refused.message }] })
  })

  it('what a function of the host does with such a text stays an error of the host', async () => {
    await opened.run(
      `create function refuse() returns trigger language plpgsql as
         $$ begin if new.word ~ 'x' then return null; end if; return new; end $$`,
      'create trigger refuse before insert on words for each row execute function refuse()',
    )
    const work = createItem(whole, 'words', { id: 4, word: 'x', plain: 'x' })
    await expect(work).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
  })
})
