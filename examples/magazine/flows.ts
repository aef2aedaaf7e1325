// Flows of the magazine: an article has a slug before it is written, and a letter to the editor becomes a comment, some seconds after it has come.

import type { Access, Engine } from 'quernel'
import { createFlows, defineFlow, defineOperation, type Flows, operationTypes } from 'quernel/flows'
import { z } from 'zod'
import type { schema } from './schema.ts'

/** `Notes on the Analytical Engine` → `notes-on-the-analytical-engine`. */
export const slugOf = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

const types = {
  ...operationTypes,
  'add-slug': defineOperation({
    kind: 'pure',
    doc: 'Returns an article with a slug made of its title.',
    options: { article: { schema: z.looseObject({ title: z.string() }), doc: 'The article.' } },
    run: ({ article }) => ({ ...article, slug: slugOf(article.title) }),
  }),
}

const slug = defineFlow(
  {
    name: 'slug',
    trigger: { on: 'items.create', collections: ['articles'], when: 'before', returns: 'slugged' },
    first: 'untitled',
    operations: {
      untitled: {
        type: 'condition',
        options: { filter: { $trigger: { payload: { title: { _nempty: true }, slug: { _empty: true } } } } },
        resolve: 'slugged',
        reject: 'nothing',
      },
      slugged: { type: 'add-slug', options: { article: '{{ $trigger.payload }}' } },
      nothing: { type: 'log', options: { message: 'It has a slug, or no title.' } },
    },
  },
  { operationTypes: types },
)

/** `POST /api/flows/trigger/letter` with `{ "article": 1, "body": "…" }` is answered when it is stored: what is killed meanwhile goes on. */
const letter = defineFlow({
  name: 'letter',
  trigger: { on: 'webhook', allow: 'public', waitMs: 0, returns: 'kept' },
  access: 'letters',
  first: 'read',
  operations: {
    read: { type: 'sleep', options: { milliseconds: 3_000 }, resolve: 'kept' },
    kept: {
      type: 'item-create',
      options: {
        collection: 'comments',
        payload: { article: '{{ $trigger.body.article }}', body: '{{ $trigger.body.body }}' },
      },
    },
  },
})

/** What comes from anybody makes a comment, and nothing else. */
const letters: Access = { rules: { comments: { create: { fields: ['article', 'body'] } } } }

export const magazineFlows = (engine: Engine<typeof schema>): Flows =>
  createFlows(engine, {
    operationTypes: types,
    flows: [slug, letter],
    access: (name) => (name === 'letters' ? letters : null),
    onError: (error) => console.error(error),
  })
