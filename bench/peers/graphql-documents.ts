// What GraphQL servers with a schema of their own are asked. Each root field is the best that their library of SQL has for it.
export const schemaText = `
  scalar DateTime
  scalar JSON
  type Query {
    flat(page: Int!): [Article!]!
    trees: [Article!]!
    many(most: Int!): [Article!]!
    article(id: ID!): Article
  }
  type Article {
    id: ID!
    title: String!
    body: String!
    status: String!
    published_at: DateTime
    views: Int!
    meta: JSON
    author: Author
    comments: [Comment!]!
    tags: [ArticleTag!]!
  }
  type Author { id: ID! name: String! email: String! }
  type Comment { id: ID! body: String! created_at: DateTime! author: Author! }
  type ArticleTag { tags_id: Tag! }
  type Tag { id: ID! name: String! }
`

const flat = 'id title status published_at views author { id }'
const tree = `id title status published_at views author { id name email }
  comments { id body created_at author { id name } }
  tags { tags_id { id name } }`

export const documents = {
  D1: `query Latest($page: Int!) { data: flat(page: $page) { ${flat} body meta } }`,
  D3: `query Trees { data: trees { ${tree} } }`,
  D6: `query One($key: ID!) { data: article(id: $key) { ${tree} } }`,
  D7: `query Many($most: Int!) { data: many(most: $most) { ${flat} } }`,
} as const
