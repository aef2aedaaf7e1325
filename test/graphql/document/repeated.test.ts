// A document that is asked again with other variables: what was kept of it may not answer for them.
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../../src/graphql.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { json, key, many, one, string } from '../../support/fields.ts'

const schema = defineSchema({
  teas: { fields: { id: key, name: string, facts: json, lots: many('lots.tea') } },
  lots: { fields: { id: key, tea: one('teas') } },
})

interface Case {
  readonly query: string
  readonly operationName?: string
  readonly asked: readonly (readonly [variables: object, answer: unknown])[]
}

const cases: Readonly<Record<string, Case>> = {
  'leaves out what each request skips': {
    query:
      'query ($no: Boolean!) { teas(limit: 1) { id @skip(if: $no) lots(limit: 1) @include(if: $no) { id } } }',
    asked: [
      [{ no: true }, { teas: [{ lots: [{ id: '1' }] }] }],
      [{ no: false }, { teas: [{ id: '1' }] }],
    ],
  },
  'leaves out whole roots and fragments': {
    query:
      'query ($a: Boolean!, $b: Boolean = false) { teas(limit: 1) @include(if: $a) { ...F @skip(if: $b) id } __typename } fragment F on teas { name }',
    asked: [
      [{ a: false }, { __typename: 'Query' }],
      [{ a: true }, { teas: [{ name: 'Assam', id: '1' }], __typename: 'Query' }],
      [
        { a: true, b: true },
        { teas: [{ id: '1' }], __typename: 'Query' },
      ],
    ],
  },
  'reads the arguments of each request at every level': {
    query:
      'query ($n: Int, $m: Int, $ids: [GraphQLStringOrFloat]) { teas(filter: { id: { _in: $ids } }, limit: $n) { id lots(limit: $m, sort: ["-id"]) { id } } }',
    asked: [
      [{ n: 1, m: 2, ids: [1, 2] }, { teas: [{ id: '1', lots: [{ id: '2' }, { id: '1' }] }] }],
      [
        { n: 2, m: 1, ids: [1, 2] },
        {
          teas: [
            { id: '1', lots: [{ id: '2' }] },
            { id: '2', lots: [{ id: '3' }] },
          ],
        },
      ],
      [{ ids: [2] }, { teas: [{ id: '2', lots: [{ id: '3' }] }] }],
      [{ n: 0 }, { teas: [] }],
    ],
  },
  'reads paths into documents that are variables': {
    query: 'query ($path: String!) { teas(limit: 1) { facts_func { found: json(path: $path) } } }',
    asked: [
      [{ path: 'a' }, { teas: [{ facts_func: { found: 1 } }] }],
      [{ path: 'b' }, { teas: [{ facts_func: { found: 'two' } }] }],
    ],
  },
  'reads the key of each request': {
    query: 'query ($id: ID!) { teas_by_id(id: $id) { name } }',
    asked: [
      [{ id: 1 }, { teas_by_id: { name: 'Assam' } }],
      [{ id: '2' }, { teas_by_id: { name: 'Sencha' } }],
    ],
  },
  'does not ask for the variables of other operations': {
    query:
      'query One($id: ID!) { teas_by_id(id: $id) { ...F } } query All($no: Boolean!) { teas(limit: 1) { ...G } } fragment F on teas { name } fragment G on teas { id @skip(if: $no) name }',
    operationName: 'One',
    asked: [[{ id: 1 }, { teas_by_id: { name: 'Assam' } }]],
  },
}

describe.each(databases)('A document asked again on $name', ({ open }) => {
  let engine: Engine<typeof schema>

  beforeAll(async () => {
    const database = await open()
    await database.run(
      'create table teas (id integer primary key, name text not null, facts text)',
      'create table lots (id integer primary key, tea integer not null)',
      `insert into teas values (1, 'Assam', '{"a":1,"b":"two"}'), (2, 'Sencha', null)`,
      'insert into lots values (1, 1), (2, 1), (3, 2)',
    )
    engine = createEngine({ db: database.db, schema })
  })

  it.each(Object.entries(cases))('%s', async (_title, { query, operationName, asked }) => {
    for (const [variables, data] of [...asked, ...asked.toReversed()]) {
      const text = await answerGraphQL(engine, { query, variables: { ...variables }, operationName })
      expect(JSON.parse(text)).toEqual({ data })
    }
  })
})
