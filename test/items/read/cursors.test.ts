// Cursors: what they hold, what is refused, and that they say no more than a filter.
import { CompiledQuery } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  explainItems,
  getItem,
  listItems,
  listItemsJson,
  type Schema,
  streamItems,
} from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases, insert, type OpenDatabase } from '../../support/databases.ts'
import { key, many, maybeOne, moment, number, string, text } from '../../support/fields.ts'
import { outcomeOf, problemsIn } from '../../support/outcome.ts'

const typed = defineSchema({
  notes: {
    fields: {
      id: key,
      title: text,
      rank: number,
      at: moment,
      of: maybeOne('people'),
      lines: many('lines.note'),
    },
  },
  people: { fields: { id: key, name: string } },
  lines: { fields: { id: key, note: maybeOne('notes'), place: number } },
  log: { key: false, fields: { word: string } },
})
const schema: Schema = typed
type Query = Readonly<Record<string, unknown>>

/** The message of a refusal, and those inside of it; `fine` if there is none. */
const messageOf = async (work: () => unknown): Promise<string> =>
  outcomeOf(
    async () => {
      await work()
      return 'fine'
    },
    (refusal) =>
      problemsIn(refusal)
        .map(({ code, message }) => `${code} ${message}`)
        .join(' '),
  )

const long = (letter: string) => letter.repeat(300)
const words = ['a', 'b', 'c', null]
const rows = [
  { id: 1, title: long('a'), rank: 1, at: '2024-05-01 10:00:00.000001+00', of: 1 },
  { id: 2, title: long('a'), rank: 1, at: '2024-05-01 10:00:00.000002+00', of: 2 },
  { id: 3, title: long('b'), rank: null, at: '2024-05-01 10:00:00.000003+00', of: null },
  { id: 4, title: null, rank: 2, at: null, of: 1 },
  { id: 5, title: "it's", rank: null, at: '2024-05-01 10:00:00.000003+00', of: 2 },
]

describe.each(databases)('cursors on $name', (database) => {
  let open: OpenDatabase
  let engine: Engine
  const idsOf = async (query: Query, by = engine) =>
    (await listItems(by, 'notes', { ...query, fields: ['id'] })).data.map(({ id }) => id)
  const cursorOf = async (id: number, query: Query = {}, by = engine) => {
    const { data } = await listItems(by, 'notes', { ...query, fields: ['id', '$cursor'] })
    return String(data.find((item) => item.id === id)?.$cursor)
  }
  const refusal = (query: Query, by = engine) => messageOf(() => listItems(by, 'notes', query))

  beforeAll(async () => {
    open = await database.open()
    const { db, run } = open
    const at = database.name === 'postgres' ? 'timestamptz' : 'text'
    await run(
      'create table people (id integer primary key, name varchar(20) not null)',
      `create table notes (id integer primary key, title text, rank integer, at ${at}, of integer references people)`,
      'create table lines (id integer primary key, note integer references notes, place integer)',
      'create table log (word varchar(20) not null)',
    )
    await insert(db, 'people', [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bo' },
    ])
    await db.insertInto('notes').values(rows).execute()
    const lines = [1, 2, 3, 4, 5, 6].map((id) => ({ id, note: (id % 2) + 1, place: id > 4 ? null : id }))
    await db.insertInto('lines').values(lines).execute()
    engine = createEngine({ db, schema })
  })

  it('begin a page after an item and end one before it', async () => {
    const sort = ['rank', '-id']
    expect(await idsOf({ sort })).toEqual([2, 1, 4, 5, 3])
    const four = await cursorOf(4, { sort })
    expect(await idsOf({ sort, after: four })).toEqual([5, 3])
    expect(await idsOf({ sort, before: four })).toEqual([2, 1])
    expect(await idsOf({ sort, before: four, limit: 1 })).toEqual([1])
    expect(await idsOf({ sort, after: await cursorOf(2, { sort }), limit: 3 })).toEqual([1, 4, 5])
    expect(await idsOf({ sort, before: await cursorOf(3, { sort }), limit: 3 })).toEqual([1, 4, 5])
  })

  it('are those of the first and the last item in the metadata', async () => {
    const query = {
      sort: '-rank',
      fields: ['id', '$cursor'],
      meta: ['cursors', 'filter_count'],
      limit: 2,
    } as const
    const { data, meta } = await listItems(engine, 'notes', query)
    expect(meta).toEqual({
      cursors: { first: data[0]?.$cursor, last: data[1]?.$cursor, has_more: true },
      filter_count: 5,
    })
    const rest = await listItems(engine, 'notes', { ...query, limit: 10, after: meta.cursors.last ?? '' })
    expect(rest.data.map(({ id }) => id)).toEqual([4, 2, 1])
    expect(rest.meta.cursors.has_more).toBe(false)
    const none = await listItems(engine, 'notes', { ...query, after: rest.meta.cursors.last ?? '' })
    expect(none).toEqual({
      data: [],
      meta: { cursors: { first: null, last: null, has_more: false }, filter_count: 5 },
    })
    expect((await listItems(engine, 'notes', { fields: ['id'], meta: '*' })).meta).not.toHaveProperty(
      'cursors',
    )
  })

  it('are the same as JSON text', async () => {
    const query = { sort: 'at', fields: ['$cursor', 'id'], limit: 2, meta: ['cursors'] }
    const listed = await listItems(engine, 'notes', query)
    expect(JSON.parse(await listItemsJson(engine, 'notes', query))).toEqual(listed)
    const after = { sort: 'at', fields: ['id'], after: listed.meta?.cursors?.last ?? '' }
    expect(JSON.parse(await listItemsJson(engine, 'notes', after))).toEqual(
      await listItems(engine, 'notes', after),
    )
    const before = { sort: 'at', fields: ['id'], before: await cursorOf(4, { sort: 'at' }), limit: 2 }
    expect(JSON.parse(await listItemsJson(engine, 'notes', before))).toEqual({ data: [{ id: 3 }, { id: 5 }] })
  })

  it('hold all digits of a value', async () => {
    expect(await idsOf({ sort: 'at', after: await cursorOf(1, { sort: 'at' }) })).toEqual([2, 3, 5, 4])
    expect(await idsOf({ sort: 'at', before: await cursorOf(3, { sort: 'at' }) })).toEqual([1, 2])
  })

  it('leave out a long value, which is read from its row', async () => {
    const sort = 'title'
    const two = await cursorOf(2, { sort })
    expect(two.length).toBeLessThan(200)
    expect(await idsOf({ sort, after: two })).toEqual([3, 5, 4])
    expect(await idsOf({ sort, before: two })).toEqual([1])
    const { db } = open
    await db
      .updateTable('notes')
      .set({ title: long('c') })
      .where('id', '=', 2)
      .execute()
    expect(await idsOf({ sort, after: two })).toEqual([5, 4])
    await db
      .updateTable('notes')
      .set({ title: long('a') })
      .where('id', '=', 2)
      .execute()
    const { sql: statement } = await explainItems(engine, 'notes', { sort, after: two })
    expect(statement).toContain('title')
  })

  it('refuse a long value whose row is gone or hidden', async () => {
    const sort = 'title'
    await insert(open.db, 'notes', { id: 9, title: long('b') })
    const nine = await cursorOf(9, { sort })
    const ada = engine.as({ rules: { notes: { read: { filter: { of: { _nnull: true } } } } } })
    expect(await refusal({ sort, after: nine }, ada)).toContain(stale('after'))
    expect(await idsOf({ sort, after: nine })).toEqual([5, 4])
    await open.db.deleteFrom('notes').where('id', '=', 9).execute()
    expect(await refusal({ sort, after: nine })).toContain(stale('after'))
    expect(await refusal({ sort, before: nine })).toContain(stale('before'))
  })

  it('leave out a long value in lists below items, too', async () => {
    const deep = { lines: { _sort: 'note.title' } }
    const { data } = await listItems(engine, 'notes', { fields: ['lines.$cursor'], deep, filter: { id: 1 } })
    const _after: unknown = Object(data[0]).lines[1].$cursor
    const asked = {
      fields: ['lines'],
      deep: { lines: { ...deep.lines, _after } },
      filter: { id: 1 },
    } as Query
    expect((await listItems(engine, 'notes', asked)).data).toEqual([{ lines: [6] }])
    const circular: Record<string, unknown> = { lines: { _sort: 'note.title', _after } }
    circular.notes = circular
    circular.lines = { ...Object(circular.lines), a: circular, b: circular }
    expect(await messageOf(() => listItems(engine, 'notes', { deep: circular } as Query))).toContain(
      'INVALID_QUERY',
    )
  })

  it('apply below every parent', async () => {
    const deep = { lines: { _sort: ['-place'] } }
    const fields = ['id', 'lines.id', 'lines.$cursor']
    const { data } = await listItems(engine, 'notes', { fields, deep, filter: { id: { _lt: 3 } } })
    const children = Object(data[0]).lines
    expect(children.map(({ id }: { id: number }) => id)).toEqual([6, 4, 2])
    const _after = children[1].$cursor
    const shown = await listItems(engine, 'notes', {
      fields: ['lines.id'],
      deep: { lines: { _sort: ['-place'], _after } },
      filter: { id: { _lt: 3 } },
    })
    expect(shown.data).toEqual([{ lines: [{ id: 2 }] }, { lines: [{ id: 3 }, { id: 1 }] }])
    const ended = { fields: ['lines'], deep: { lines: { _sort: ['-place'], _before: _after, _limit: 1 } } }
    const before = await listItems(engine, 'notes', { ...ended, filter: { id: { _lt: 3 } } })
    expect(before.data).toEqual([{ lines: [6] }, { lines: [5] }])
    const asText = await listItemsJson(engine, 'notes', { ...ended, filter: { id: { _lt: 3 } } })
    expect(JSON.parse(asText)).toEqual(before)
  })

  it('hold for the same list with other operands', async () => {
    const first = await cursorOf(1, { filter: { rank: { _eq: 1 } } })
    expect(await idsOf({ filter: { rank: { _eq: 2 } }, after: first })).toEqual([4])
    expect(await refusal({ filter: { rank: { _gt: 1 } }, after: first })).toContain(stale('after'))
    expect(await refusal({ after: first })).toContain(stale('after'))
    expect(await refusal({ filter: { rank: { _eq: 1 } }, sort: '-id', after: first })).toContain(
      stale('after'),
    )
    expect(await refusal({ filter: { rank: { _eq: 1 } }, search: 'a', after: first })).toContain(
      stale('after'),
    )
  })

  it('end with a change of the schema', async () => {
    const sort = 'rank'
    const first = await cursorOf(1, { sort })
    const changed = defineSchema({ notes: { fields: { id: key, rank: string } } }) as Schema
    const other = createEngine({ db: open.db, schema: changed })
    expect(await refusal({ sort, after: first }, other)).toContain(stale('after'))
  })

  it('stay where they are while rows are written', async () => {
    const sort = ['rank', 'id']
    const one = await cursorOf(1, { sort })
    await insert(open.db, 'notes', [
      { id: 0, rank: 1 },
      { id: 8, rank: 1 },
    ])
    await open.db.deleteFrom('notes').where('id', '=', 4).execute()
    expect(await idsOf({ sort, after: one })).toEqual([2, 8, 3, 5])
    await open.db.deleteFrom('notes').where('id', 'in', [0, 8]).execute()
    await insert(open.db, 'notes', rows[3] ?? {})
  })

  it('miss nothing that stays while rows come and go, and have none twice', async () => {
    const random = new Random(fuzzSeed)
    for (const sort of [['rank'], ['-rank', 'id'], ['at', '-rank'], ['title', 'rank', '-id']]) {
      const filter = { id: { _gte: 1_000 } }
      const row = (id: number) => ({
        id,
        rank: random.chance(0.2) ? null : random.below(5),
        title: random.one(words),
      })
      let next = 1_000
      await insert(
        open.db,
        'notes',
        Array.from({ length: 60 }, () => row(next++)),
      )
      const left = new Set(Array.from({ length: 60 }, (_, at) => 1_000 + at))
      const seen: unknown[] = []
      for (let after: string | null | undefined; after !== null; ) {
        const query: Query = {
          sort,
          filter,
          fields: ['id'],
          limit: 4,
          meta: ['cursors'],
          ...(after && { after }),
        }
        const { data, meta } = await listItems(engine, 'notes', query)
        seen.push(...data.map(({ id }) => id))
        after = meta?.cursors?.has_more ? meta.cursors.last : null
        const gone = random.one([...left])
        left.delete(gone)
        await open.db.deleteFrom('notes').where('id', '=', gone).execute()
        await open.db.insertInto('notes').values(row(next++)).execute()
      }
      expect(new Set(seen).size, sort.join()).toBe(seen.length)
      expect(
        [...left].filter((id) => !seen.includes(id)),
        sort.join(),
      ).toEqual([])
      await open.db.deleteFrom('notes').where('id', '>=', 1_000).execute()
    }
  })

  it('say no more than a filter when they are forged', async () => {
    const sort = ['rank', 'at']
    const genuine = await cursorOf(2, { sort })
    const parts: unknown[] = JSON.parse(Buffer.from(genuine, 'base64url').toString())
    const token = (forged: readonly unknown[]) => Buffer.from(JSON.stringify(forged)).toString('base64url')
    const [mark] = parts
    const kinds = [
      'x',
      "'x'",
      '1',
      '1.5',
      '99999999999999999999',
      "X'00'",
      '2024-02-31',
      'now',
      '\u0000',
      '',
      null,
      0,
    ]
    for (const value of [...kinds, 1, true, [], {}, long('9')])
      for (const at of [1, 2, 3]) {
        const outcome = await refusal({ sort, after: token(parts.with(at, value)) })
        expect(outcome).toMatch(/^(?:fine$|INVALID_QUERY)/)
      }
    for (const forged of [[mark], [mark, ...parts], parts.slice(0, -1), parts.with(0, 'other'), {}, 'text'])
      expect(await refusal({ sort, after: token(forged as unknown[]) })).toContain(stale('after'))
    for (const cut of [genuine.slice(1), genuine.slice(0, -4), `${genuine}!`, 'x', '%'])
      expect(await refusal({ sort, after: cut })).toContain(stale('after'))
  })

  const stale = (name: string) => `"${name}" is no cursor of this list as it is now; begin anew.`

  const refused: Readonly<Record<string, readonly [Query, string]>> = {
    'both ends': [{ after: 'a', before: 'b' }, '"after" and "before" exclude each other.'],
    'an offset': [{ after: 'a', offset: 1 }, '"offset" and "after" exclude each other.'],
    'a page': [{ before: 'a', page: 2 }, '"page" and "before" exclude each other.'],
    'an offset below': [
      { deep: { lines: { _after: 'a', _offset: 1 } } },
      '"_offset" and "_after" exclude each other.',
    ],
    'what is no text': [{ after: 5 }, '"after" takes text, not 5.'],
    nothing: [{ after: '' }, stale('after')],
    'what is too long': [{ after: 'a'.repeat(2_049) }, stale('after')],
    groups: [{ groupBy: ['rank'], after: 'a' }, 'Groups have no cursors.'],
    'groups that show them': [{ groupBy: ['rank'], meta: ['cursors'] }, 'Groups have no cursors.'],
    'a reference': [{ fields: ['of.$cursor'] }, 'A cursor is of a list, and there is one item here.'],
    'the level of a reference': [
      { fields: ['of.name'], deep: { of: { _after: 'a' } } },
      '"_after" begins a page of a list, and there is one item here.',
    ],
    'a path': [{ fields: ['$cursor.x'] }, 'There is no field "$cursor"'],
  }
  it.each(Object.entries(refused))('are refused with %s', async (_, [query, message]) => {
    expect(await refusal(query)).toContain(message)
  })

  it('are not of single items, streams and rows without a key', async () => {
    const one = 'A cursor is of a list, and there is one item here.'
    expect(await messageOf(() => getItem(engine, 'notes', 1, { fields: ['$cursor'] }))).toContain(one)
    expect(await messageOf(() => getItem(engine, 'notes', 1, { after: 'x' }))).toContain('There is one item')
    const stream = streamItems(engine, 'notes', { after: 'x' })
    expect(await messageOf(() => stream.next())).toContain('A stream is read to its end')
    expect(await messageOf(() => listItems(engine, 'log', { meta: ['cursors'] }))).toContain(
      '"log" has no key, so its items have no cursors.',
    )
  })

  it('are of no list whose order a caller sees in part', async () => {
    const says = 'A list has cursors only if its key, and what it is sorted by, can be read on every row.'
    const seeing = (read: unknown) =>
      engine.as({ rules: { notes: { read }, people: { read: [{ fields: ['id'] }] } } } as never)
    const withoutKey = seeing({ fields: ['rank', 'title'] })
    expect(await messageOf(() => listItems(withoutKey, 'notes', { fields: ['$cursor'] }))).toContain(says)
    expect(await messageOf(() => listItems(withoutKey, 'notes', { meta: ['cursors'] }))).toContain(says)
    const partly = seeing([{ fields: ['id', 'title'] }, { filter: { id: 1 }, fields: ['rank'] }])
    expect(await refusal({ sort: 'rank', after: await cursorOf(1, { sort: 'rank' }) }, partly)).toContain(
      says,
    )
    expect(await refusal({ sort: 'title', meta: ['cursors'], fields: ['id'] }, partly)).not.toContain(says)
    const inPart = seeing([{ fields: ['title'] }, { filter: { id: 1 }, fields: ['id'] }])
    expect(await refusal({ sort: 'title', meta: ['cursors'] }, inPart)).toContain(says)
    expect(await refusal({ sort: 'of.name', meta: ['cursors'] }, seeing(true))).toContain('There is no field')
  })

  it('read a range of the index of all keys, among nulls, too', async () => {
    const isServer = database.name === 'postgres'
    const series = isServer
      ? 'generate_series(1, 20000) as s (n)'
      : '(with recursive s (n) as (select 1 union all select n + 1 from s where n < 20000) select n from s) as s'
    await open.run(
      'create table ranks (id integer primary key, rank integer)',
      `insert into ranks select n, case when n % 10 = 0 then null else n % 100 end from ${series}`,
      'create index ranks_rank on ranks (rank, id)',
      'analyze ranks',
    )
    const of = createEngine({
      db: open.db,
      schema: defineSchema({ ranks: { fields: { id: key, rank: number } } }) as Schema,
    })
    for (const offset of [9_000, 18_500]) {
      const query: Query = { sort: 'rank', limit: 5 }
      const [at] = (await listItems(of, 'ranks', { ...query, offset, fields: ['$cursor'] })).data
      const { sql: text, parameters } = await explainItems(of, 'ranks', {
        ...query,
        after: at?.$cursor,
      } as Query)
      const explain = isServer ? 'explain' : 'explain query plan'
      const { rows } = await open.db.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]))
      const plan = JSON.stringify(rows)
      expect(plan).toContain('ranks_rank')
      expect(plan).not.toMatch(/ranks_pkey|Seq Scan|SCAN _q1|Filter/)
      const ended: Query = { ...query, before: at?.$cursor }
      const { data } = await listItems(of, 'ranks', ended)
      expect(data).toEqual((await listItems(of, 'ranks', { ...query, offset: offset - 5 })).data)
      // Among values, what is read backwards is not sorted again.
      const [sorted] = (await explainItems(of, 'ranks', ended)).sql.match(/order by.*/) ?? []
      if (offset === 9_000) expect(sorted).not.toMatch(/order by.*order by/)
    }
  })
})
