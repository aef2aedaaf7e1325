// What a host adds to a schema is refused where it is given, with the place and what is allowed.
import { describe, expect, it } from 'vitest'
import { answerGraphQL, createGraphQLHandler, createGraphQLSchema, graphql } from '../../../../src/graphql.ts'
import { createHandler } from '../../../../src/http.ts'
import { key, many, one, string } from '../../../support/fields.ts'
import { engineOf } from '../../engine.ts'

const engine = engineOf({
  teas: { fields: { id: key, name: string, picked: { type: 'date' }, lots: many('lots.tea') } },
  lots: { fields: { id: key, tea: one('teas') } },
  '2nd one': { fields: { id: key } },
})

const resolve = () => null
const field = { type: 'String', needs: [], resolve }

/** Given extensions, and the place and text of the error. */
const refusals: readonly (readonly [
  title: string,
  extend: unknown,
  path: readonly (string | number)[],
  text: string,
])[] = [
  ['an unknown part', { query: {} }, ['extend', 'query'], 'There is no option "query".'],
  [
    'an unknown collection',
    { fields: { tea: {} } },
    ['extend', 'fields', 'tea'],
    'There is no collection "tea".',
  ],
  [
    'a collection without a name in GraphQL',
    { fields: { '2nd one': { label: field } } },
    ['extend', 'fields', '2nd one'],
    '"2nd one" is left out of GraphQL, and has no fields there.',
  ],
  [
    'a name that is no name in GraphQL',
    { fields: { teas: { '2nd': field } } },
    ['extend', 'fields', 'teas', '2nd'],
    'A name of GraphQL has letters, digits and "_", unlike "2nd".',
  ],
  [
    'the name of a field',
    { fields: { teas: { name: field } } },
    ['extend', 'fields', 'teas', 'name'],
    'There is a field "name" already.',
  ],
  [
    'the name of the functions of a field',
    { fields: { teas: { picked_func: field } } },
    ['extend', 'fields', 'teas', 'picked_func'],
    'There is a field "picked_func" already.',
  ],
  [
    'the name of a field of Query',
    { queries: { teas_by_id: { type: 'Int', resolve } } },
    ['extend', 'queries', 'teas_by_id'],
    'There is a field "teas_by_id" already.',
  ],
  [
    'an unknown type',
    { queries: { now: { type: 'Moment', resolve } } },
    ['extend', 'queries', 'now', 'type'],
    'A type is one of Boolean, Date, Float, GraphQLBigInt, GraphQLGeoJSON, ID, Int, JSON, String, or a list of it, not "Moment".',
  ],
  [
    'a text that is no type',
    { queries: { now: { type: '[Int', resolve } } },
    ['extend', 'queries', 'now', 'type'],
    'A type is one of Boolean, Date, Float, GraphQLBigInt, GraphQLGeoJSON, ID, Int, JSON, String, or a list of it, not "[Int".',
  ],
  [
    'an unknown type of an argument',
    { queries: { now: { type: 'Int', args: { zone: 'Zone' }, resolve } } },
    ['extend', 'queries', 'now', 'args', 'zone'],
    'A type is one of Boolean, Date, Float, GraphQLBigInt, GraphQLGeoJSON, ID, Int, JSON, String, or a list of it, not "Zone".',
  ],
  [
    'a computed field that is promised not to be null',
    { fields: { teas: { label: { ...field, type: 'String!' } } } },
    ['extend', 'fields', 'teas', 'label', 'type'],
    'A field that is computed may fail, and then is null: its type is not "String!".',
  ],
  [
    'a needed field that there is not',
    { fields: { teas: { label: { ...field, needs: ['id', 'nam'] } } } },
    ['extend', 'fields', 'teas', 'label', 'needs', 1],
    'There is no field "nam" in "teas".',
  ],
  [
    'a needed field that leads to other items',
    { fields: { teas: { label: { ...field, needs: ['lots'] } } } },
    ['extend', 'fields', 'teas', 'label', 'needs', 0],
    '"lots" leads to other items, and has no value that is needed.',
  ],
  [
    'a computed field that does not say what it needs',
    { fields: { teas: { label: { type: 'String', resolve } } } },
    ['extend', 'fields', 'teas', 'label', 'needs'],
    '"needs" has the fields that are computed with.',
  ],
  [
    'a field without a function',
    { queries: { now: { type: 'Date' } } },
    ['extend', 'queries', 'now', 'resolve'],
    '"resolve" is the function that computes the field.',
  ],
  [
    'a field that is no object',
    { fields: { teas: { label: null } } },
    ['extend', 'fields', 'teas', 'label'],
    'Options are an object, not null.',
  ],
]

describe('extend refuses', () => {
  it.each(refusals)('%s', async (_title, extend, path, message) => {
    const options: object = { extend }
    const error = expect.objectContaining({ code: 'INVALID_OPTIONS', path, message })
    const authenticate = () => ({ admin: true as const })
    expect(thrownBy(() => createGraphQLSchema(engine, options))).toEqual(error)
    expect(thrownBy(() => createGraphQLHandler(engine, { authenticate, ...options }))).toEqual(error)
    expect(thrownBy(() => createHandler(engine, { authenticate, mounts: [graphql(options)] }))).toEqual(error)
    await expect(answerGraphQL(engine, { query: '{ __typename }' }, options)).rejects.toEqual(error)
  })
})

describe('extend', () => {
  it('gives a caller who sees no collection the fields of Query', async () => {
    const extend = { queries: { now: { type: 'Int!', resolve: () => 1 } } }
    expect(await answerGraphQL(engine.as({}), { query: '{ now }' }, { extend })).toBe('{"data":{"now":1}}')
  })

  it('takes a name that another one of GraphQL made free', async () => {
    const names = { rename: { 'teas.name': 'title' } }
    const extend = { fields: { teas: { name: field } } }
    expect(createGraphQLSchema(engine, { names, extend }).getType('teas')).toBeDefined()
  })
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
