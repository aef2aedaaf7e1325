// The magazine as an engine, and who may do what in it. Every example serves this.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Access, createEngine, limitsFromEnvironment, type Rules } from 'quernel'
import { graphql } from 'quernel/graphql'
import { createHandler, describeApi, type Handler, type OpenApiDocument } from 'quernel/http'
import { createFeed, localSource, realtime } from 'quernel/realtime'
import { fileStorage, memoryStorage } from 'quernel/storage'
import { openMagazine } from './database.ts'
import { magazineFlows } from './flows.ts'
import { addPictures } from './pictures.ts'
import { schema } from './schema.ts'

/** Whoever comes without a token reads what is published. */
const visitors: Rules<typeof schema> = {
  articles: { read: { filter: { status: 'published' } } },
  authors: { read: true },
  comments: { read: { filter: { article: { status: 'published' } } } },
  tags: { read: true },
  articles_tags: { read: true },
  site: { read: true },
  files: { read: true },
}

/** An author writes articles of their own, with pictures, and comments on all. */
const authors: Rules<typeof schema> = {
  ...visitors,
  articles: {
    read: [{ filter: { status: 'published' } }, { filter: { author: '$CURRENT_USER' } }],
    create: { fields: ['title', 'meta', 'image', 'tags', 'comments'], presets: { author: '$CURRENT_USER' } },
    update: {
      filter: { author: '$CURRENT_USER' },
      fields: ['title', 'meta', 'image', 'tags', 'comments', 'status'],
    },
    delete: { filter: { _and: [{ author: '$CURRENT_USER' }, { status: 'draft' }] } },
  },
  comments: { read: true, create: { fields: ['body', 'article'], presets: { author: '$CURRENT_USER' } } },
  articles_tags: { read: true, create: true, update: true, delete: true },
  files: {
    read: true,
    create: { fields: ['title', 'description'], validation: { type: { _starts_with: 'image/' } } },
    update: { filter: { uploaded_by: '$CURRENT_USER' } },
    delete: { filter: { uploaded_by: '$CURRENT_USER' } },
  },
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
  /** Answers for the engine below `/api`: REST, GraphQL on `/api/graphql`, and lists that stay true on `/api/live`. */
  readonly handler: Handler
  /** What it answers, in words of OpenAPI. */
  readonly document: OpenApiDocument
  close(): Promise<void>
}

/** An engine on a database of its own. Pictures are kept as long as the rows that tell of them: in memory, or in a folder. */
export async function openMagazineApi(url = process.env.DATABASE_URL): Promise<Magazine> {
  const db = await openMagazine(url)
  const engine = createEngine({
    db,
    schema,
    flows: {},
    storage: url ? fileStorage({ root: process.env.FILES ?? join(tmpdir(), 'magazine') }) : memoryStorage(),
    limits: { defaultLimit: 25, maxLimit: 1_000, ...limitsFromEnvironment(process.env) },
  })
  await engine.install()
  const flows = magazineFlows(engine)
  await addPictures(engine)
  // Comments go with their article, by a foreign key: nobody but the database knows which.
  const feed = createFeed(engine, { source: localSource(), onError: (error) => console.error(String(error)) })
  engine.on('items.delete', 'articles', () => feed.reset('comments'), { when: 'after' })
  const handler = createHandler(engine, {
    authenticate,
    prefix: '/api',
    mounts: [graphql({ page: true }), realtime(feed), flows],
    onError: (error) => console.error(error),
  })
  await handler.start()
  return {
    handler,
    document: describeApi(engine, { title: 'The Magazine', prefix: '/api' }),
    close: async () => {
      await handler.stop()
      await feed.stop()
      await db.destroy()
    },
  }
}
