// What a code generator makes of our schema: documents have the types of their answers, and mistakes do not compile.
import { fileURLToPath } from 'node:url'
import { codegen } from '@graphql-codegen/core'
import * as documents from '@graphql-codegen/typed-document-node'
import * as operations from '@graphql-codegen/typescript-operations'
import { parse } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { printGraphQLSchema } from '../../../src/graphql.ts'
import { diagnosticsOf, openCompiler, wordsOf } from '../../support/compiler.ts'
import { key, many, maybeOne, moment, string, text } from '../../support/fields.ts'
import { engineOf } from '../engine.ts'

const engine = engineOf({
  authors: { fields: { id: key, name: string } },
  articles: {
    fields: {
      id: key,
      title: string,
      price: { type: 'decimal', nullable: true },
      views: { type: 'bigInteger' },
      published: moment,
      author: maybeOne('authors'),
      comments: many('comments.article'),
      kind: text,
      about: { type: 'any', by: 'kind', to: ['authors', 'comments'], nullable: true },
    },
  },
  comments: { fields: { id: key, text: string, article: maybeOne('articles') } },
})

const queries = `
  query Articles($filter: articles_filter, $limit: Int) {
    articles(filter: $filter, limit: $limit) {
      id
      title
      price
      views
      published
      published_func { year }
      author { name }
      comments { text }
      about { __typename ... on authors { name } ... on comments { text } }
    }
    articles_aggregated { countAll sum { price } }
  }
  mutation Create($data: create_articles_input!) { create_articles_item(data: $data) { id } }
`

/** Types of scalars that a generator does not know. */
const scalars = { Date: 'string', GraphQLBigInt: 'string', GraphQLStringOrFloat: 'string | number' }

// It reads the library once for all programs.
const compiler = openCompiler()
const here = fileURLToPath(new URL('.', import.meta.url))
const [generated, right, wrong] = ['generated', 'right', 'wrong'].map(
  (name) => `${here}${name}-types.ts`,
) as [string, string, string] // as many as there are names

const imports = `
import { type ArticlesQuery, type ArticlesQueryVariables, type CreateMutationVariables, ArticlesDocument } from './generated-types.ts'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>() => undefined
type Article = ArticlesQuery['articles'][number]
`

/** Claims about types, each of which compiles. */
const claims = `${imports}
holds<Same<Article['id'], string>>()
holds<Same<Article['title'], string | null>>()
holds<Same<Article['price'], number | null>>()
holds<Same<Article['views'], string | null>>()
holds<Same<Article['published'], string | null>>()
holds<Same<Article['published_func'], { year: number | null } | null>>()
holds<Same<Article['author'], { name: string | null } | null>>()
holds<Same<Article['comments'], Array<{ text: string | null }>>>()
holds<Same<NonNullable<Article['about']>['__typename'], 'authors' | 'comments'>>()
holds<Same<ArticlesQuery['articles_aggregated'], Array<{ countAll: number, sum: { price: number | null } | null }>>>()
const variables: ArticlesQueryVariables = {
  limit: 3,
  filter: { _or: [{ title: { _contains: 'Tea' } }, { comments: { _some: { text: { _null: true } } } }] },
}
const created: CreateMutationVariables = { data: { title: 'Tea', author: { name: 'Ada' }, comments: [{ text: 'good' }] } }
export const used = [ArticlesDocument, variables, created]
`

/** Uses that do not compile, and what the compiler says. */
const mistakes: readonly (readonly [title: string, code: string, says: string])[] = [
  [
    'a field that was not selected',
    'export const a = (one: Article) => one.kind',
    "Property 'kind' does not exist",
  ],
  [
    'a value that may be null',
    'export const b = (one: Article): string => one.title',
    "Type 'string | null' is not assignable to type 'string'",
  ],
  [
    'a filter of a field that there is not',
    "export const c: ArticlesQueryVariables = { filter: { tittle: { _eq: 'Tea' } } }",
    "'tittle' does not exist in type",
  ],
  [
    'an operator that a field does not have',
    'export const d: ArticlesQueryVariables = { filter: { price: { _contains: 1 } } }',
    "'_contains' does not exist in type",
  ],
  [
    'a payload without a field that it needs',
    'export const e: CreateMutationVariables = {}',
    "Property 'data' is missing",
  ],
]

const generate = (document: string, sdl: string): Promise<string> =>
  codegen({
    filename: generated,
    schema: parse(sdl),
    documents: [{ location: 'documents.graphql', document: parse(document) }],
    config: { scalars, useTypeImports: true },
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations, documents },
  })

describe('types that a code generator makes', () => {
  let code: string
  const sdl = printGraphQLSchema(engine)

  beforeAll(async () => {
    code = await generate(queries, sdl)
  })

  it('are those of the answers', () => {
    const files = new Map([
      [generated, code],
      [right, claims],
    ])
    const program = compiler.programOf([generated, right], files)
    expect(diagnosticsOf(program, generated).map(wordsOf)).toEqual([])
    expect(diagnosticsOf(program, right).map(wordsOf)).toEqual([])
  })

  it.each(mistakes)('refuse %s', (_title, use, says) => {
    const files = new Map([
      [generated, code],
      [
        wrong,
        `${imports}\nexport const kept = [ArticlesDocument, holds]\nexport type Kept = [Same<1, 1>, ArticlesQueryVariables, CreateMutationVariables, Article]\n${use}`,
      ],
    ])
    const program = compiler.programOf([generated, wrong], files)
    expect(diagnosticsOf(program, wrong).map(wordsOf)).toEqual([expect.stringContaining(says)])
  })

  it('are not made of a document with an unknown field', async () => {
    await expect(generate('query Q { articles { tittle } }', sdl)).rejects.toThrow(
      'Cannot query field "tittle" on type "articles".',
    )
  })
})
