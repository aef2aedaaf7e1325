// What a query would do, without doing it.
import type { CompiledQuery } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL, explainGraphQL } from '../../../src/graphql.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { key, text } from '../../support/fields.ts'

const schema = defineSchema({ tags: { versioned: true, fields: { id: key, name: text } } })

describe.each(databases)('explainGraphQL on $name', ({ open }) => {
  let engine: Engine<typeof schema>
  const run: string[] = []

  beforeAll(async () => {
    const database = await open()
    await database.run('create table tags (id integer primary key, name text)')
    await database.run("insert into tags values (1, 'hot'), (2, 'cold')")
    engine = createEngine({
      db: database.db,
      schema,
      onQuery: ({ sql: text }: Pick<CompiledQuery, 'sql'>) => void run.push(text),
    })
    await engine.install()
  })

  const query = `query Q($name: String) {
    __typename
    hot: tags(filter: { name: { _eq: $name } }) { name }
    tags_by_id(id: 2) { id }
    tags_aggregated { count { id } }
  }`
  const request = { query, variables: { name: 'hot' } }

  it('shows the statements that the answer takes, and runs none of them', async () => {
    await answerGraphQL(engine, request)
    run.length = 0
    const explained = await explainGraphQL(engine, request)
    expect(run).toEqual([])
    await answerGraphQL(engine, request)
    expect(explained.map(({ sql: text }) => text).sort()).toEqual([...run].sort())
    expect(explained.map(({ root }) => root)).toEqual(['hot', 'tags_by_id', 'tags_aggregated'])
    expect(explained[0]?.parameters).toContain('hot')
    expect(explained[0]?.plan).toMatchObject({ collection: 'tags', fields: { name: 'name' } })
    expect(explained[2]?.plan.aggregates).toEqual(['count.id'])
  })

  it('takes documents by their ids, and is bound by the rules of a caller', async () => {
    const options = { documents: () => '{ tags { name } }', onlyDocuments: true }
    const reader = engine.as({ rules: { tags: { read: { filter: { name: 'secret' } } } } })
    const [only] = await explainGraphQL(reader, { documentId: 'x' }, options)
    expect(only?.parameters).toContain('secret')
  })

  it('leaves out what takes several statements', async () => {
    expect(
      await explainGraphQL(engine, { query: '{ tags_by_id(id: 1, version: "draft") { name } }' }),
    ).toEqual([])
  })

  it.each([
    ['{ tags { colour } }', 'Cannot query field "colour" on type "tags".'],
    ['{ tags { colour size } }', 'Cannot query field "colour" on type "tags". (and 1 more problem)'],
    ['{ tags(sort: ["colour"]) { id } }', 'There is no field "colour" in "tags"', 'FORBIDDEN'],
    ['mutation { delete_tags_item(id: 1) { id } }', 'Only queries are explained, and no mutations.'],
  ])('refuses %s', async (text, says, code = 'INVALID_QUERY') => {
    await expect(explainGraphQL(engine, { query: text })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(says),
    })
  })
})
