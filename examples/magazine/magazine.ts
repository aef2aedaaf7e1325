// The magazine as an engine, and who may do what in it. Every example serves this.
import { type Access, createEngine, limitsFromEnvironment, type Rules } from 'quernel'
import { createHandler, describeApi, type Handler, type OpenApiDocument } from 'quernel/http'
import { openMagazine } from './database.ts'
import { schema } from './schema.ts'

/** Whoever comes without a token reads what is published. */
const visitors: Rules<typeof schema> = {
  articles: { read: { filter: { status: 'published' } } },
  authors: { read: true },
  comments: { read: { filter: { article: { status: 'published' } } } },
  tags: { read: true },
  articles_tags: { read: true },
  site: { read: true },
}

/** An author writes articles of their own, and comments on all. */
const authors: Rules<typeof schema> = {
  ...visitors,
  articles: {
    read: [{ filter: { status: 'published' } }, { filter: { author: '$CURRENT_USER' } }],
    create: { fields: ['title', 'meta', 'tags', 'comments'], presets: { author: '$CURRENT_USER' } },
    update: { filter: { author: '$CURRENT_USER' }, fields: ['title', 'meta', 'tags', 'comments', 'status'] },
    delete: { filter: { _and: [{ author: '$CURRENT_USER' }, { status: 'draft' }] } },
  },
  comments: { read: true, create: { fields: ['body', 'article'], presets: { author: '$CURRENT_USER' } } },
  articles_tags: { read: true, create: true, update: true, delete: true },
}

/** In your server these come from wherever you keep them. */
const tokens: ReadonlyMap<string, Access> = new Map<string, Access>([
  ['admin', { admin: true }],
  ['ada', { user: 1, rules: authors }],
  ['grace', { user: 3, rules: authors }],
])

export const authenticate = (token: string | null): Access | null =>
  token === null ? { rules: visitors } : (tokens.get(token) ?? null)

export interface Magazine {
  /** Answers for the engine below `/api`. */
  readonly handler: Handler
  /** What it answers, in words of OpenAPI. */
  readonly document: OpenApiDocument
}

/** An engine on a database of its own. */
export async function openMagazineApi(url?: string): Promise<Magazine> {
  const db = await openMagazine(url)
  const engine = createEngine({
    db,
    schema,
    limits: { defaultLimit: 25, maxLimit: 1_000, ...limitsFromEnvironment(process.env) },
  })
  await engine.install()
  const handler = createHandler(engine, {
    authenticate,
    prefix: '/api',
    onError: (error) => console.error(error),
  })
  return { handler, document: describeApi(engine, { title: 'The Magazine', prefix: '/api' }) }
}
