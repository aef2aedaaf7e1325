// Random documents: the text that is spliced, the objects that GraphQL.js walks through, and the functions on items say the same.

import { type GraphQLSchema, graphql } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL, createGraphQLSchema } from '../../../src/graphql.ts'
import { createEngine, type Engine, type EngineError } from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { requestsOf } from '../drawn-cursors.ts'
import { keysOf, shownOf } from '../drawn-lists.ts'
import { DocumentDraw, schema, tables } from '../random-documents.ts'

const draws = drawsOf('documents of GraphQL')
const seed = fuzzSeed

describe.each(databases)('both modes of GraphQL on $name', ({ open }) => {
  let engine: Engine
  let executable: GraphQLSchema

  beforeAll(async () => {
    const database = await open()
    for (const table of tables) await database.run(table)
    engine = createEngine({ db: database.db, schema })
    executable = createGraphQLSchema(engine)
  })

  it(`answer alike (seed ${seed})`, async () => {
    const random = new Random(seed)
    let rows = 0
    let paged = 0
    for (let index = 0; index < draws; index++) {
      const draw = new DocumentDraw(random)
      const asked = await requestsOf(draw, draw.document(), async (query) => {
        const { data } = JSON.parse(await answerGraphQL(engine, { query }))
        return data
      })
      // One way round and the other, so that a kept template serves what it was not made for.
      for (const { query, variables } of index % 2 === 0 ? asked : asked.toReversed()) {
        const text = JSON.parse(await answerGraphQL(engine, { query, variables }))
        const walked = await graphql({
          schema: executable,
          source: query,
          variableValues: variables,
          contextValue: { engine },
        })
        expect(
          walked.errors?.length ?? 0,
          `${query}\n${JSON.stringify(text)}\n${walked.errors?.[0]?.stack}`,
        ).toBe(text.errors?.length ?? 0)
        expect(
          walked.data && JSON.parse(JSON.stringify(walked.data)),
          `${query} ${JSON.stringify(text.errors)}`,
        ).toEqual(text.data)
        const codes = (text.errors ?? []).map(({ extensions }: EngineError) => extensions.code)
        expect(
          codes.filter((code: unknown) => code !== 'NOT_FOUND'),
          query,
        ).toEqual([])
        paged += Object.keys(variables).filter((name) => name.startsWith('c')).length
        const { lists } = draw
        expect(shownOf(lists, text.data), `${query} ${JSON.stringify(variables)}`).toEqual(
          await keysOf(engine, lists, variables, text.data),
        )
        rows += JSON.stringify(text.data).length
      }
    }
    expect(rows).toBeGreaterThan(10_000)
    expect(paged).toBeGreaterThan(draws)
  })

  it('refuse a context without an engine', async () => {
    const { errors } = await graphql({ schema: executable, source: '{ teas { id } }' })
    expect(errors?.[0]?.message).toBe('The context of a GraphQL server has the engine of the caller.')
  })
})
