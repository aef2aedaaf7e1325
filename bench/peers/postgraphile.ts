// PostGraphile, asked in process through its GraphQL schema. Documents are parsed once, and what changes is in variables.
import { makeSchema } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { execute, hookArgs } from 'postgraphile/grafast'
import { type GraphQLSchema, parse, validate } from 'postgraphile/graphql'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { jsonPgSmartTags } from 'postgraphile/utils'
import type { Form, Forms, Party } from '../contestant.ts'
import { coldDocuments } from '../documents/cold.ts'
import type { DocumentParty } from '../documents/document-party.ts'
import type { DatabaseName } from '../options.ts'
import { openPool } from '../postgres-data.ts'
import type { Turn } from '../workloads.ts'
import { type Asked, documents, documentsWithAuthors } from './postgraphile-documents.ts'

/** @public Loaded by name, once the peers are installed. */
export async function openParty(url: string): Promise<Party> {
  const { server, close } = await openServer(url)
  return {
    name: 'postgraphile',
    objects: formsOf(server, { isText: false, of: Object.keys(documents) }),
    // Where somebody writes text by hand.
    texts: formsOf(server, { isText: true, of: ['W1', 'W2', 'W3', 'W6', 'W7'] }),
    close,
  }
}

/** @public Loaded by name, once the peers are installed. */
export async function openDocuments(_database: DatabaseName, url: string): Promise<DocumentParty> {
  const { server, close } = await openServer(url)
  const { W1, W3, W6, W7 } = documents
  if (!W1 || !W3 || !W6 || !W7) throw new Error('PostGraphile is asked W1, W3, W6 and W7.')
  const text = (asked: Asked) => formOf(server, asked, true)
  const cold = coldDocuments(W6.document)
  return {
    name: 'postgraphile',
    form: 'outputDataAsString',
    answers: {
      D1: text({ ...W1, document: documentsWithAuthors.D1 }),
      D3: text(W3),
      D6: text(W6),
      D7: text({ ...W7, document: documentsWithAuthors.D7 }),
      DC: (turn) => text({ ...W6, document: cold() })(turn),
    },
    close,
  }
}

async function openServer(url: string) {
  const pool = openPool(url)
  const { schema, resolvedPreset } = await makeSchema({
    extends: [PostGraphileAmberPreset],
    plugins: [links],
    disablePlugins: ['NodePlugin'],
    // Lists without cursors are the lighter ones.
    schema: { defaultBehavior: '-connection +list -mutation' },
    pgServices: [makePgService({ pool, schemas: ['public'] })],
  })
  return { server: { schema, resolvedPreset }, close: () => pool.end() }
}

// It is made for Node 22 and newer; all that an older one lacks is this function of the language.
if (!('withResolvers' in Promise)) {
  const withResolvers = () => {
    const settling: Record<string, unknown> = {}
    const promise = new Promise((resolve, reject) => Object.assign(settling, { resolve, reject }))
    return Object.assign(settling, { promise })
  }
  Object.assign(Promise, { withResolvers })
}

interface Server {
  readonly schema: GraphQLSchema
  readonly resolvedPreset: GraphileConfig.ResolvedPreset
}

/** What the database does not say: its columns have no foreign keys, and comments no index by their moment. */
const links = jsonPgSmartTags({
  version: 1,
  config: {
    class: {
      articles: { tags: { foreignKey: '(author) references authors (id)' } },
      comments: {
        tags: {
          foreignKey: ['(author) references authors (id)', '(article) references articles (id)'],
        },
        attribute: { created_at: { tags: { behavior: '+orderBy' } } },
      },
      articles_tags: {
        tags: {
          foreignKey: ['(articles_id) references articles (id)', '(tags_id) references tags (id)'],
        },
      },
    },
  },
})

interface Wanted {
  readonly isText: boolean
  readonly of: readonly string[]
}

function formsOf(server: Server, { isText, of }: Wanted): Forms {
  const named = Object.entries(documents)
    .filter(([workload]) => of.includes(workload))
    .map(([workload, asked]) => [
      workload,
      { [isText ? 'outputDataAsString' : 'execute']: formOf(server, asked, isText) },
    ])
  return Object.fromEntries(named)
}

function formOf({ schema, resolvedPreset }: Server, asked: Asked, isText: boolean): Form {
  const document = parse(asked.document)
  const [mistake] = validate(schema, document)
  if (mistake) throw mistake
  return async (turn: Turn) => {
    // Anew for each request, as its servers do it: it remembers what was read.
    const request = await hookArgs({
      schema,
      document,
      variableValues: asked.variables(turn),
      resolvedPreset,
      requestContext: {},
      outputDataAsString: isText,
    })
    const answer = await execute(request)
    if (!('data' in answer) || !answer.data) throw new Error(`PostGraphile answers ${JSON.stringify(answer)}`)
    return asked.isOne && !isText ? answer.data.data : answer.data
  }
}
