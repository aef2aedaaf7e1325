// What PostGraphile is asked. Aliases give its answers the names that all others have. Without plugins it filters by equality only,
// so that W4 cannot be asked, and groups nothing, so that W5 cannot either.
import type { Turn, WorkloadName } from '../workloads.ts'

export interface Asked {
  readonly document: string
  readonly variables: (turn: Turn) => Readonly<Record<string, number>>
  /** Whether the answer is an item, and not a list. */
  readonly isOne?: boolean
}

const latest = (fields: string) => `query ($offset: Int) {
  data: allArticlesList(first: 100, offset: $offset, condition: { status: "published" },
    orderBy: [PUBLISHED_AT_DESC, ROW_ID_DESC]) { ${fields} }
}`

const narrow = 'id: rowId title status published_at: publishedAt views'
const flat = `${narrow} body meta author`
const author = 'author: authorByAuthor { id: rowId name email }'
const tree = `${narrow} ${author}
  comments: commentsByArticleList(first: 5, orderBy: [CREATED_AT_DESC, ROW_ID_DESC]) {
    id: rowId body created_at: createdAt author: authorByAuthor { id: rowId name }
  }
  tags: articlesTagsByArticlesIdList(first: 100, orderBy: [ROW_ID_ASC]) { tags_id: tagByTagsId { id: rowId name } }`

const many = (author: string) =>
  `query ($most: Int!) { data: allArticlesList(first: $most, orderBy: [ROW_ID_ASC]) { ${narrow} ${author} } }`

/** What is asked as a document, in the place of W1 and W7. */
export const documentsWithAuthors = {
  D1: latest(`${narrow} body meta author: authorByAuthor { id: rowId }`),
  D7: many('author: authorByAuthor { id: rowId }'),
} as const

const first = () => ({ offset: 0 })
const paged = ({ page }: Turn) => ({ offset: (page - 1) * 100 })

export const documents: Partial<Readonly<Record<WorkloadName, Asked>>> = {
  W1: { document: latest(flat), variables: paged },
  W2: { document: latest(`id: rowId title published_at: publishedAt views ${author}`), variables: first },
  W3: { document: latest(tree), variables: first },
  W3p: { document: latest(tree), variables: paged },
  W6: {
    document: `query ($key: Int!) { data: articleByRowId(rowId: $key) { ${tree} } }`,
    variables: ({ key }) => ({ key }),
    isOne: true,
  },
  W7: {
    document: many('author'),
    variables: ({ most }) => ({ most }),
  },
  W8: { document: latest(flat), variables: ({ skipped }) => ({ offset: skipped }) },
}
