// Random documents: the text that is spliced, the objects that GraphQL.js walks through, and the functions on items say the same.

import { type GraphQLSchema, graphql } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL, createGraphQLSchema } from '../../../src/graphql.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases } from '../../support/databases.ts'
import { isLong } from '../../support/long-runs.ts'
import { DocumentDraw, schema, tables } from '../random-documents.ts'

const documents = isLong ? 1_000 : 40
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
    for (let index = 0; index < documents; index++) {
      const query = new DocumentDraw(random).document()
      // One way round and the other, so that a kept template serves what it was not made for.
      const asked = [
        { n: 1, skip: true },
        { n: 3, skip: false },
      ]
      for (const variables of index % 2 === 0 ? asked : asked.toReversed()) {
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
        expect(JSON.parse(JSON.stringify(walked.data)), query).toEqual(text.data)
        rows += JSON.stringify(text.data).length
      }
    }
    expect(rows).toBeGreaterThan(10_000)
  })

  it('refuse a context without an engine', async () => {
    const { errors } = await graphql({ schema: executable, source: '{ teas { id } }' })
    expect(errors?.[0]?.message).toBe('The context of a GraphQL server has the engine of the caller.')
  })
})
