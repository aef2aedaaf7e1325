// A schema as the page knows it: as a server has told it about itself.
import { buildSchema, graphqlSync } from 'graphql'
import {
  type KnownSchema,
  readSchema,
  schemaQuestion,
} from '../../../src/pages/graphql/language/known-schema.ts'

const definitions = `
directive @cached(ttl: Int!) on QUERY | FIELD
type Query {
  "Every tag."
  tags(filter: tags_filter, sort: [String], limit: Int = 10): [tags!]!
  tags_by_id(id: ID!): tags
  named(kind: kinds): [named!]!
  search(text: String!): [found!]
}
type Mutation { create_tags_item(data: create_tags_input!, lists: [[tags_filter!]!]): tags }
type tags implements named { id: ID!, name: String, colour: kinds, parent: tags, old: String @deprecated, articles(limit: Int): [articles!]! }
type articles implements named { id: ID!, name: String, title: String, tags: [tags!]! }
type people { id: ID! }
interface named { name: String }
union found = tags | people
enum kinds { WARM COLD "Gone." GONE @deprecated }
input tags_filter { name: text_filter, hot: Boolean, colour: kinds, _and: [tags_filter!] }
input text_filter { _eq: String, _in: [String!] }
input create_tags_input { name: String!, colour: kinds }
`

export function knownSchema(text = definitions): KnownSchema {
  const { data } = graphqlSync({ schema: buildSchema(text), source: schemaQuestion })
  const schema = readSchema(data)
  if (!schema) throw new Error('There is no schema.')
  return schema
}

/** Takes the bar out of a text, and returns where it was. */
export function withCursor(marked: string): { readonly document: string; readonly cursor: number } {
  const cursor = marked.indexOf('|')
  return { document: marked.replace('|', ''), cursor }
}
