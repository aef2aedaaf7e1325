// Geometry operators: PostGIS, the functions of quernel/sqlite, and memory have one meaning.
import Database from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  compileFilter,
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteByQuery,
  type Filter,
  type Geometry,
  matchesFilter,
} from '../../src/index.ts'
import { sqlite, sqliteDialect } from '../../src/sqlite.ts'
import type { AnyTables } from '../support/databases.ts'
import { openPostgis } from '../support/postgis.ts'

const schema = defineSchema({
  shapes: {
    fields: {
      id: { type: 'integer', key: true },
      shape: { type: 'geometry', nullable: true },
      indexed: { type: 'geometry', srid: 4326, nullable: true },
      plain: { type: 'geometry', nullable: true },
    },
  },
})

type ShapeFilter = Filter<typeof schema, 'shapes'>

const polygon = (...rings: [number, number][][]): Geometry => ({ type: 'Polygon', coordinates: rings })
const ring = (from: number, to: number): [number, number][] => [
  [from, from],
  [to, from],
  [to, to],
  [from, to],
  [from, from],
]

const geometries: readonly (Geometry | null)[] = [
  { type: 'Point', coordinates: [0, 0] },
  { type: 'Point', coordinates: [5, 5] },
  { type: 'Point', coordinates: [10.75, 59.91] },
  { type: 'Point', coordinates: [2, 2, 7] },
  {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [10, 10],
    ],
  },
  {
    type: 'LineString',
    coordinates: [
      [0, 10],
      [10, 0],
    ],
  },
  {
    type: 'LineString',
    coordinates: [
      [2, 3],
      [2, 9],
    ],
  },
  polygon(ring(0, 4)),
  polygon(ring(4, 6)),
  polygon(ring(0, 10), ring(1, 9)),
  {
    type: 'MultiPoint',
    coordinates: [
      [1, 1],
      [20, 20],
    ],
  },
  {
    type: 'MultiLineString',
    coordinates: [
      [
        [0, 1],
        [1, 0],
      ],
      [
        [8, 8],
        [9, 9],
      ],
    ],
  },
  { type: 'MultiPolygon', coordinates: [[ring(11, 12)], [ring(14, 16)]] },
  { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [3, 3] }, polygon(ring(20, 21))] },
  null,
]

const items = geometries.map((shape, index) => ({ id: index + 1, shape, indexed: shape, plain: shape }))
const operators = [
  '_intersects',
  '_nintersects',
  '_intersects_bbox',
  '_nintersects_bbox',
  '_eq',
  '_neq',
] as const

describe('a geometry operator', () => {
  let postgis: Awaited<ReturnType<typeof openPostgis>>
  const lite = new Kysely<AnyTables>({ dialect: sqliteDialect({ database: new Database(':memory:') }) })

  beforeAll(async () => {
    postgis = await openPostgis()
    await postgis.run(
      'create table shapes (id int primary key, shape geometry, indexed geometry(geometry, 4326), plain geometry(geometry, 0))',
    )
    await sql`create table shapes (id integer primary key, shape text, indexed text, plain text)`.execute(
      lite,
    )
    for (const { id, shape } of items) {
      const text = shape && JSON.stringify(shape)
      await sql`insert into shapes values (${id}, ST_GeomFromGeoJSON(${text}), ST_Force2D(ST_GeomFromGeoJSON(${text})), ST_SetSRID(ST_Force2D(ST_GeomFromGeoJSON(${text})), 0))`.execute(
        postgis.db,
      )
      await lite.insertInto('shapes').values({ id, shape: text, indexed: text, plain: text }).execute()
    }
  })

  afterAll(() => lite.destroy())

  const idsIn = async (db: Kysely<AnyTables>, dialect: 'postgres' | typeof sqlite, filter: ShapeFilter) => {
    const { expression } = compileFilter({ schema, dialect }, 'shapes', filter)
    const rows = await db.selectFrom('shapes').select('id').where(expression).orderBy('id').execute()
    return rows.map(({ id }) => id)
  }

  describe.each(['shape', 'indexed', 'plain'] as const)('on the column %s', (field) => {
    it.each(operators)('%s selects the same shapes everywhere', async (operator) => {
      for (const operand of geometries) {
        if (operand === null) continue
        const filter: ShapeFilter = { [field]: { [operator]: operand } }
        const expected = items
          .filter((item) => matchesFilter({ schema }, 'shapes', filter, item))
          .map(({ id }) => id)
        expect({ operand, ids: await idsIn(postgis.db, 'postgres', filter) }).toEqual({
          operand,
          ids: expected,
        })
        expect({ operand, ids: await idsIn(lite, sqlite, filter) }).toEqual({ operand, ids: expected })
      }
    })
  })

  it('leaves shapes that are not there out of both sides', async () => {
    const operand = polygon(ring(0, 100))
    const filter: ShapeFilter = {
      _or: [{ shape: { _intersects: operand } }, { shape: { _nintersects: operand } }],
    }
    const present = items.filter(({ shape }) => shape !== null).map(({ id }) => id)
    expect(await idsIn(postgis.db, 'postgres', filter)).toEqual(present)
    expect(await idsIn(lite, sqlite, filter)).toEqual(present)
    expect(await idsIn(postgis.db, 'postgres', { shape: { _null: true } })).toEqual([items.length])
    expect(await idsIn(lite, sqlite, { shape: { _empty: true } })).toEqual([items.length])
  })

  it('meets what was written by createItem as it was given', async () => {
    const flat = geometries.filter((shape) => shape !== null && !JSON.stringify(shape).includes('[2,2,7]'))
    const written = flat.map((shape, index) => ({ id: 1_000 + index, shape, indexed: shape }))
    for (const [db, dialect] of [
      [postgis.db, 'postgres'],
      [lite, sqlite],
    ] as const) {
      const engine = createEngine({ db, schema, dialect })
      const fields = ['id', 'shape', 'indexed'] as const
      expect(await createItems(engine, 'shapes', written, { fields })).toEqual(written)
      const wrong = { id: 1, shape: { type: 'Point' } as never }
      await expect(createItem(engine, 'shapes', wrong)).rejects.toMatchObject({ code: 'FAILED_VALIDATION' })
      await deleteByQuery(engine, 'shapes', { filter: { id: { _gte: 1_000 } } })
    }
  })

  it('can be served by an index where the spatial reference is known', async () => {
    await postgis.run('create index shapes_indexed on shapes using gist (indexed)')
    await postgis.run('set enable_seqscan = off')
    const { sql: text, parameters } = compileFilter({ schema, dialect: 'postgres' }, 'shapes', {
      indexed: { _intersects: { type: 'Point', coordinates: [5, 5] } },
    })
    // The text is our own, and its one parameter is written into it for EXPLAIN.
    const plan = await sql<object>`explain ${sql.raw(
      text
        .replace('"shapes".', '')
        .replace('$1', `'${String(parameters[0])}'`)
        .replace(/^/, 'select 1 from shapes where '),
    )}`.execute(postgis.db)
    expect(JSON.stringify(plan.rows)).toContain('shapes_indexed')
  })
})
