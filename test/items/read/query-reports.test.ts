// What a host is told: every statement that was run, and how a query would be run.
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  deleteItem,
  type Engine,
  explainItems,
  getItem,
  getSingleton,
  listItems,
  listItemsJson,
  type QueryReport,
  streamItems,
} from '../../../src/index.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { across, key, many, maybeOne, text } from '../../support/fields.ts'
import { lanes } from '../../support/lanes.ts'

const schema = defineSchema({
  nodes: {
    fields: {
      id: key,
      name: text,
      parent: maybeOne('nodes'),
      children: many('nodes.parent'),
      links: across('links.from', 'to'),
    },
  },
  links: { fields: { id: key, from: maybeOne('nodes'), to: maybeOne('nodes') } },
  settings: { singleton: true, fields: { id: key } },
})

const tree = {
  fields: ['id', 'name', 'parent.parent.name', 'children.children.children.name', 'links.to.links.to.name'],
  filter: { children: { _none: { name: 'x' } }, parent: { parent: { name: { _neq: 'y' } } } },
  sort: ['-parent.parent.name', 'children.name'],
  deep: {
    children: { _limit: 2, _sort: '-id', children: { _filter: { name: { _icontains: 'n' } } } },
    links: { _aggregate: { count: '*' }, _groupBy: 'to.name' },
  },
} as const

describe.each(lanes)('on $title', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  let reports: QueryReport[] = []
  beforeAll(async () => {
    opened = await open()
    const { db } = opened
    await sql`create table nodes (id integer primary key, name text, parent integer)`.execute(db)
    await sql`create table links (id integer primary key, "from" integer, "to" integer)`.execute(db)
    await sql`create table settings (id integer primary key)`.execute(db)
    const nodes = Array.from({ length: 60 }, (_, index) => ({
      id: index + 1,
      name: `node ${index}`,
      parent: index === 0 ? null : Math.ceil(index / 3),
    }))
    await db.insertInto('nodes').values(nodes).execute()
    const links = nodes.map(({ id }) => ({ id, from: id, to: 61 - id }))
    await db.insertInto('links').values(links).execute()
    // What is counted before is another matter.
    const limits = { nestedRows: Number.POSITIVE_INFINITY }
    engine = createEngine({ db, schema, limits, onQuery: (report) => reports.push(report) })
  })
  beforeEach(() => {
    reports = []
  })

  it('a statement is reported with its text, its values, its time and its rows', async () => {
    const { data } = await listItems(engine, 'nodes', { fields: 'id', filter: { name: "it's" }, limit: 7 })
    expect(data).toEqual([])
    await listItems(engine, 'nodes', { fields: 'id', filter: { name: 'node 3' }, limit: 7 })
    expect(reports).toEqual([
      {
        sql: expect.stringContaining('select'),
        parameters: ["it's", 7],
        durationMs: expect.any(Number),
        rows: 0,
      },
      { sql: reports[0]?.sql, parameters: ['node 3', 7], durationMs: expect.any(Number), rows: 1 },
    ])
    expect(reports.every(({ durationMs }) => durationMs >= 0)).toBe(true)
  })

  it.each([
    ['a list', {}],
    ['a deep tree', tree],
    ['groups', { groupBy: 'parent.name', aggregate: { count: '*' } }],
    ['every field of four levels', { fields: '*.*.*.*', limit: 2 }],
  ] as const)('%s is one statement, and two with all that is told about it', async (_title, query) => {
    await listItems(engine, 'nodes', query)
    expect(reports).toHaveLength(1)
    await listItems(engine, 'nodes', { ...query, meta: '*' })
    expect(reports.length).toBeLessThanOrEqual(3)
    reports = []
    await listItemsJson(engine, 'nodes', query)
    expect(reports).toHaveLength(1)
    await listItemsJson(engine, 'nodes', { ...query, meta: '*' })
    expect(reports.length).toBeLessThanOrEqual(3)
  })

  it('a tree that may have too many rows is counted by one statement before', async () => {
    const { db } = opened
    const counting = createEngine({ db, schema, onQuery: (report) => reports.push(report) })
    const { data } = await listItems(counting, 'nodes', tree)
    expect(reports).toHaveLength(2)
    expect(await listItems(engine, 'nodes', tree)).toEqual({ data })
    await listItems(counting, 'nodes', { ...tree, limit: 5 })
    expect(reports).toHaveLength(4)
  })

  it('the limit of a list costs no statement to tell', async () => {
    await listItems(engine, 'nodes', { meta: ['limit', 'offset', 'page', 'truncated'] })
    expect(reports).toHaveLength(1)
  })

  it('a single item is one statement, and a singleton too', async () => {
    await getItem(engine, 'nodes', 1, { fields: tree.fields })
    expect(reports).toHaveLength(1)
    await getSingleton(engine, 'settings')
    expect(reports).toHaveLength(2)
  })

  it('every statement of a stream is reported', async () => {
    let seen = 0
    for await (const _ of streamItems(engine, 'nodes')) seen++
    expect(reports.reduce((rows, report) => rows + report.rows, 0)).toBe(seen)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no paper')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no paper')
      },
    ],
  ])('a reporter that %s changes no answer, and onError is told', async (_title, onQuery) => {
    const told: unknown[] = []
    const { db } = opened
    const reporting = createEngine({ db, schema, onQuery, onError: (error) => told.push(error) })
    expect((await listItems(reporting, 'nodes', { limit: 3 })).data).toHaveLength(3)
    expect(await createItem(reporting, 'settings', { id: 1 })).toEqual({ id: 1 })
    await reporting.transaction((inside) => deleteItem(inside, 'settings', 1))
    expect((await listItems(reporting, 'settings')).data).toEqual([])
    expect(told.length).toBeGreaterThan(3)
    expect(new Set(told.map((error) => error instanceof Error && error.message))).toEqual(
      new Set(['no paper']),
    )
    await expect(getItem(reporting, 'nodes', 99)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('a query that is wrong is no statement', async () => {
    await expect(listItems(engine, 'nodes', { filter: { id: { _gt: 'x' as '1' } } })).rejects.toThrow()
    expect(reports).toEqual([])
  })

  it('nothing is run to explain a query, and the statement is the one that would be run', async () => {
    for (const query of [
      {},
      { filter: { id: { _in: [1, 2] } } },
      tree,
      { groupBy: 'parent', limit: 3 },
    ] as const) {
      reports = []
      const { sql: text, parameters, databasePlan } = await explainItems(engine, 'nodes', query)
      expect(reports).toEqual([])
      expect(databasePlan).toBeUndefined()
      await listItems(engine, 'nodes', query)
      expect(reports.map((report) => [report.sql, report.parameters])).toEqual([[text, parameters]])
    }
  })

  it('what a query was understood to mean is plain data', async () => {
    const { plan } = await explainItems(engine, 'nodes', tree)
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan)
    expect(plan).toEqual({
      collection: 'nodes',
      where: { and: [{ 'none of children': 'name _eq' }, { parent: { parent: 'name _neq' } }] },
      order: ['-parent.parent.name', 'children.name', 'id'],
      limit: 100,
      fields: expect.objectContaining({ id: 'id', name: 'name' }),
    })
  })

  it('the database tells how it would go about a query, where it is asked', async () => {
    const { databasePlan } = await explainItems(engine, 'nodes', tree, { database: true })
    expect(databasePlan?.length).toBeGreaterThan(3)
    expect(databasePlan?.every((line) => typeof line === 'string' && line.trim() !== '')).toBe(true)
    expect(databasePlan?.join('\n')).toMatch(/scan/i)
  })
})
