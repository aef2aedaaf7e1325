// Questions about the schema have one bound in an operation, by what they list.
import { getIntrospectionQuery } from 'graphql'
import { describe, expect, it } from 'vitest'
import { answerGraphQL, explainGraphQL } from '../../../src/graphql.ts'
import type { SchemaDefinition } from '../../../src/schema/definition.ts'
import { engineOf } from '../engine.ts'

/** Collections in a circle, each with fields of several types. */
const circle = (count: number): SchemaDefinition =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `c${index}`,
      {
        fields: {
          id: { type: 'integer', key: true },
          name: { type: 'string', nullable: true },
          made: { type: 'timestamp', nullable: true },
          next: { type: 'm2o', to: `c${(index + 1) % count}`, nullable: true },
          before: { type: 'o2m', from: `c${(index + count - 1) % count}.next` },
        },
      },
    ]),
  )

const tools = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true })
const engine = engineOf(circle(5))

const answered = async (query: string, variables = {}, by = engine) =>
  JSON.parse(await answerGraphQL(by, { query, variables }))

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ')

const all = `fragment F on __Schema { types { ...T } } fragment T on __Type { name fields { name args { name type { ...R } } type { ...R } }
  inputFields { name type { ...R } } enumValues { name } } fragment R on __Type { name kind ofType { name kind ofType { name kind } } }`

const types = all.slice(all.indexOf('fragment T'))

const refused = {
  message: 'The questions about the schema list more than twice what all of it takes.',
  extensions: { code: 'INVALID_QUERY', hint: 'Ask for each list of the schema once.' },
}

describe('Questions about the schema', () => {
  it.each([
    [
      'fifty questions for all of it',
      `{ ${times(50, (index) => `a${index}: __schema { ...F }`)} } ${all}`,
      'a3',
    ],
    [
      'fifty lists in one question',
      `{ __schema { ${times(50, (index) => `a${index}: types { ...T }`)} } } ${types}`,
      '__schema',
    ],
    [
      'a list whose members multiply',
      `{ __schema { types { ...T } } }
        fragment T on __Type { ${times(20, (index) => `a${index}: fields { ...F }`)} } fragment F on __Field { ${times(20, (index) => `a${index}: name`)} }`,
      '__schema',
    ],
    [
      'one name of many texts',
      `{ __schema { ${times(60, (index) => `a${index}: types { fields { b${index}: name type { name } } inputFields { name } }`)} } }`,
      '__schema',
    ],
  ])('of an operation have one bound: %s', async (_, query, root) => {
    const { data, errors } = await answered(query)
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ ...refused, path: [root] }])
    await expect(explainGraphQL(engine, { query })).rejects.toMatchObject({ code: 'INVALID_QUERY' })
  })

  it('are refused before the other fields are read, and beside them', async () => {
    const query = `{ c0 { id } ${times(50, (index) => `a${index}: __schema { ...F }`)} } ${all}`
    // There are no tables.
    expect((await answered(query.replace('a49: ', 'a48: '))).errors).toMatchObject([{ path: ['a3'] }])
  })

  it('are counted by the values of their variables', async () => {
    const query = `query ($no: Boolean!) { ${times(49, (index) => `a${index}: __schema @skip(if: $no) { ...F }`)} } ${all}`
    expect((await answered(`${query}`, { no: true })).data).toEqual({})
    expect((await answered(`${query}`, { no: false })).errors).toMatchObject([refused])
  })

  it('may double fragments where there is nothing to be asked', async () => {
    const doubling = times(
      30,
      (index) => `fragment F${index + 1} on __Type { a: ofType { ...F${index} } b: ofType { ...F${index} } }`,
    )
    const query = `{ __type(name: "Int") { ...F30 } } fragment F0 on __Type { name } ${doubling}`
    expect((await answered(query)).data).toEqual({ __type: { a: null, b: null } })
  })

  it('may name each type of a document', async () => {
    const query = `{ ${times(5, (index) => `a${index}: __type(name: "c${index}") { fields { name type { ...R } } }`)} b: __type(name: "none") { name } }
      fragment R on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`
    const { data } = await answered(query)
    expect(data.a4.fields.map(({ name }: { name: string }) => name)).toContain('next')
    expect(data.b).toBeNull()
  })

  it('of tools are answered over a thousand collections, and beside a second one', async () => {
    const large = engineOf(circle(1_000))
    const { data } = await answered(tools, {}, large)
    expect(data.__schema.types.length).toBeGreaterThan(5_000)
    const twice =
      '{ one: __schema { types { name fields { name } } } two: __schema { types { name inputFields { name } } } }'
    expect((await answered(twice, {}, large)).errors).toBeUndefined()
    const { errors } = await answered(
      `{ ${times(50, (index) => `a${index}: __schema { ...F }`)} } ${all}`,
      {},
      large,
    )
    expect(errors).toMatchObject([refused])
  })
})
