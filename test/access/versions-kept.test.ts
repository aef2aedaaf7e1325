// Saving in a version keeps what it holds of a relation and who saves is not shown.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createVersion,
  type Engine,
  listVersions,
  type Schema,
  saveVersion,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { openWorld } from '../versions/collections.ts'

type Rules = NonNullable<Access<Schema>['rules']>

/** Sees no likes, no comment with the key 2, and no author with the key 2. */
const rules: Rules = {
  articles: { read: true, update: true },
  comments: {
    read: { filter: { id: { _neq: 2 } }, fields: ['id', 'text', 'article', 'writer'] },
    create: true,
    update: true,
    delete: true,
  },
  authors: {
    read: { filter: { id: { _neq: 2 } }, fields: ['id', 'name', 'pin'] },
    create: true,
    update: true,
  },
  blocks: { read: true, create: true, update: true, delete: true },
  heroes: { read: { fields: ['id'] }, update: true },
  quotes: { create: true, update: true },
  versions: { read: true, update: true },
}

interface Case {
  readonly held: Readonly<Record<string, unknown>>
  readonly saved: Readonly<Record<string, unknown>>
  /** What the version holds then. */
  readonly kept: object
}

const mask = '**********'

const cases: Readonly<Record<string, Case>> = {
  'what was saved of a list replaced what was not shown of it': {
    held: { comments: { create: [{ text: 'new', likes: 9 }], update: [{ id: 2, text: 'x' }], delete: [3] } },
    saved: { comments: { create: [{ text: 'new' }, { text: 'other' }], delete: [3] } },
    kept: {
      comments: {
        create: [{ text: 'new', likes: 9 }, { text: 'other' }],
        update: [{ id: 2, text: 'x' }],
        delete: [3],
      },
    },
  },
  'an unseen item that is taken out stays taken out': {
    held: { comments: { delete: [2] } },
    saved: { comments: { create: [{ text: 'new' }] } },
    kept: { comments: { create: [{ text: 'new' }], delete: [2] } },
  },
  'unseen fields of an item stay with it': {
    held: { comments: { update: [{ id: 1, text: 'a', likes: 5 }] } },
    saved: { comments: { update: [{ id: 1, text: 'b' }] } },
    kept: { comments: { update: [{ id: 1, text: 'b', likes: 5 }] } },
  },
  'unseen fields stay where the seen ones are taken back': {
    held: { comments: { update: [{ id: 1, text: 'a', likes: 5 }] } },
    saved: { comments: { create: [] } },
    kept: { comments: { create: [], update: [{ id: 1, likes: 5 }] } },
  },
  'who takes an item out takes its unseen fields with it': {
    held: { comments: { update: [{ id: 1, text: 'a', likes: 5 }] } },
    saved: { comments: { delete: [1] } },
    kept: { comments: { delete: [1] } },
  },
  'what may be written unseen is written': {
    held: { comments: { update: [{ id: 1, likes: 5 }] } },
    saved: { comments: { update: [{ id: 1, likes: 6 }] } },
    kept: { comments: { update: [{ id: 1, likes: 6 }] } },
  },
  'a new item that is changed is known by its place': {
    held: {
      comments: {
        create: [
          { text: 'a', likes: 1 },
          { text: 'b', likes: 2 },
        ],
      },
    },
    saved: { comments: { create: [{ text: 'c' }, { text: 'a' }, { text: 'd' }] } },
    kept: { comments: { create: [{ text: 'c', likes: 2 }, { text: 'a', likes: 1 }, { text: 'd' }] } },
  },
  'a complete set in place of another keeps whom it does not show, in their places': {
    held: { comments: [{ id: 3, text: 'x', likes: 4 }, { id: 2, text: 'y' }, 1, { text: 'new', likes: 7 }] },
    saved: { comments: [{ text: 'new' }, 1, 3] },
    kept: { comments: [{ text: 'new', likes: 7 }, 1, { id: 3, likes: 4 }, { id: 2, text: 'y' }] },
  },
  'a complete set leaves out whom it left out': {
    held: { comments: [1, 3] },
    saved: { comments: [1] },
    kept: { comments: [1] },
  },
  'a complete set in place of changes takes the unseen ones in': {
    held: {
      comments: {
        update: [
          { id: 2, text: 'x' },
          { id: 1, likes: 2 },
        ],
        delete: [3],
      },
    },
    saved: { comments: [1] },
    kept: {
      comments: [
        { id: 1, likes: 2 },
        { id: 2, text: 'x' },
      ],
    },
  },
  'changes in place of a complete set keep what that said of the unseen ones': {
    held: { comments: [1, { id: 2, text: 'x' }] },
    saved: { comments: { create: [{ text: 'new' }] } },
    kept: { comments: { create: [{ text: 'new' }], update: [{ id: 2, text: 'x' }] } },
  },
  'so is whoever it removed unseen': {
    held: { comments: [1] },
    saved: { comments: { create: [{ text: 'new' }] } },
    kept: { comments: { create: [{ text: 'new' }], delete: [2] } },
  },
  'a set of nothing is one as well': {
    held: { comments: { create: [{ text: 'new', likes: 9 }], update: [{ id: 2, text: 'x' }] } },
    saved: { comments: null },
    kept: { comments: [{ id: 2, text: 'x' }] },
  },
  'what is related to one keeps its unseen fields while it is the same': {
    held: { author: { id: 1, name: 'A', born: '1900-01-01', pin: '9' } },
    saved: { author: { id: 1, name: 'B', pin: mask } },
    kept: { author: { id: 1, name: 'B', born: '1900-01-01', pin: '9' } },
  },
  'its bare key says nothing of its fields': {
    held: { author: { id: 1, name: 'A', born: '1900-01-01' } },
    saved: { author: 1 },
    kept: { author: { id: 1, born: '1900-01-01' } },
  },
  'another one in its place has none of them': {
    held: { author: { id: 1, name: 'A', born: '1900-01-01' } },
    saved: { author: 3 },
    kept: { author: 3 },
  },
  'nor has a new one in the place of one that is there': {
    held: { author: { id: 1, born: '1900-01-01' } },
    saved: { author: { name: 'New' } },
    kept: { author: { name: 'New' } },
  },
  'unseen fields are kept at any depth': {
    held: { comments: { update: [{ id: 1, writer: { id: 1, name: 'A', born: '1900-01-01' } }] } },
    saved: { comments: { update: [{ id: 1, text: 'x', writer: { id: 1, name: 'B' } }] } },
    kept: { comments: { update: [{ id: 1, text: 'x', writer: { id: 1, name: 'B', born: '1900-01-01' } }] } },
  },
  'so are those behind a reference to any collection': {
    held: { blocks: { update: [{ id: 1, kind: 'heroes', item: { id: 1, headline: 'x' } }] } },
    saved: { blocks: { update: [{ id: 1, kind: 'heroes', item: { id: 1 }, position: 3 }] } },
    kept: { blocks: { update: [{ id: 1, kind: 'heroes', item: { id: 1, headline: 'x' }, position: 3 }] } },
  },
  'fields that are not saved stay as they are': {
    held: { title: 'x', comments: { update: [{ id: 2, text: 'x' }] } },
    saved: { views: 3 },
    kept: { title: 'x', views: 3, comments: { update: [{ id: 2, text: 'x' }] } },
  },
}

/** As PostgreSQL has read it already. */
const json = (found: unknown): unknown => (typeof found === 'string' ? JSON.parse(found) : found)

describe.each(databases)('on $name', (database) => {
  let opened: OpenDatabase
  let engine: Engine<Schema>
  beforeEach(async () => {
    const world = await openWorld(database)
    opened = world.opened
    // The rules name collections by text.
    engine = world.engine as unknown as Engine<Schema>
  })
  const deltaOf = async (key = 'draft') => {
    const { db } = opened
    return json(
      (await db.selectFrom('versions').select('delta').where('key', '=', key).executeTakeFirst())?.delta,
    )
  }

  it.each(Object.entries(cases))('%s', async (_, { held, saved, kept }) => {
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: held })
    await saveVersion(engine.as({ rules }), 'articles', 1, 'draft', saved)
    expect(await deltaOf()).toEqual(kept)
  })

  it('who sees everything replaces everything but what is shown to nobody', async () => {
    const author = { id: 1, name: 'A', pin: '9' }
    await createVersion(engine, 'articles', 1, {
      key: 'draft',
      delta: { author, comments: { create: [{ text: 'new', likes: 9 }], delete: [2] } },
    })
    await saveVersion(engine, 'articles', 1, 'draft', {
      author: { id: 1, pin: mask },
      comments: { update: [{ id: 1, likes: 3 }] },
    })
    expect(await deltaOf()).toEqual({
      author: { id: 1, pin: '9' },
      comments: { update: [{ id: 1, likes: 3 }] },
    })
  })

  it('what is saved as it was shown changes nothing', async () => {
    for (const [at, { held }] of Object.values(cases).entries()) {
      const key = `draft ${at}`
      await createVersion(engine, 'articles', 1, { key, delta: held })
      const mine = engine.as({ rules })
      const shown = (await listVersions(mine, 'articles', 1)).find((one) => one.key === key)?.delta
      await saveVersion(mine, 'articles', 1, key, shown ?? {})
      expect(await deltaOf(key)).toEqual(held)
    }
  })
})
