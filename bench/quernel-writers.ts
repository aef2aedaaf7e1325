// Quernel as it writes: to all, to a caller with rules, with a hook, with a validation.
import type { Kysely } from 'kysely'
import {
  createEngine,
  createItem,
  createItems,
  deleteByQuery,
  deleteItem,
  type Rules,
  updateByQuery,
  updateItem,
  upsertItem,
  upsertItems,
} from 'quernel'
import {
  caller,
  change,
  many,
  nextKey,
  nextViews,
  one,
  put,
  putMany,
  relatedSchema,
  schema,
  type Tables,
  turns,
  validatedSchema,
  type Writer,
} from './written.ts'

/** A caller may see and write what is worth anything, and delete what is gone. */
const rules: Rules<typeof schema> = {
  written: {
    read: { filter: { views: { _gte: 0 } } },
    create: { validation: { views: { _gte: 0 } } },
    update: { filter: { author: '$CURRENT_USER' }, fields: ['title', 'views'] },
    delete: { filter: { status: 'gone' } },
  },
}

/** A caller sees and writes what belongs to authors of which they are a member. */
const memberships = { members: { _some: { member: '$CURRENT_USER' } } } as const
const theirs = { filter: { author: memberships } } as const
const relatedRules: Rules<typeof relatedSchema> = {
  written: {
    read: theirs,
    create: theirs,
    update: { ...theirs, fields: ['title', 'views'] },
    delete: theirs,
  },
  written_authors: { read: { filter: memberships } },
}

/** Those who write to the table alone: by the own driver, and one by that of Kysely. */
export function quernelWriters(db: Kysely<Tables>, plain: Kysely<Tables>): readonly Writer[] {
  const engine = createEngine({ db, schema })
  const plainEngine = createEngine({ db: plain, schema })
  return [
    { name: 'quernel', forms: { verb: wholeVerbs(engine) } },
    { name: 'quernel, plain', forms: { verb: wholeVerbs(plainEngine) } },
    // It is narrowed anew for each call, as a server does it.
    { name: 'quernel, narrowed', forms: { verb: verbs(() => engine.as({ user: caller, rules })) } },
  ]
}

/** What a feed does: hears of the writes to a collection. */
type Wants = (event: string, collection: string) => boolean | readonly string[]

/** Returns an engine with a listener that does nothing, as the feeds of the library have them. */
function listenedTo(db: Kysely<Tables>, wants: Wants): Written {
  const engine = createEngine({ db, schema })
  const inside = engine as unknown as {
    readonly [internals]: {
      readonly hooks: { readonly listeners: { add(listener: () => void, wants: Wants): void } }
    }
  }
  inside[internals].hooks.listeners.add(() => undefined, wants)
  return engine
}

const internals: unique symbol = Symbol.for('quernel.internals') as never

/** Who writes with a hook that returns at once, with a validation, with listeners, and bare, and who updates by adding to a number in the place
 *  of a value. */
export function watchedWriters(db: Kysely<Tables>): readonly Writer[] {
  const bare = createEngine({ db, schema })
  const committing = createEngine({ db, schema })
  committing.on('items.create', 'written', () => undefined, { when: 'beforeCommit' })
  const watching = listenedTo(db, (_event, collection) => collection === 'others')
  const listened = listenedTo(db, () => true)
  const recalling = listenedTo(db, () => ['author'])
  const hooked = createEngine({ db, schema })
  hooked.on('items.create', 'written', () => undefined, { when: 'before' })
  const validated = createEngine({ db, schema: validatedSchema })
  const create = { fields: ['id'] } as const
  const shown = { fields: ['id', 'title'] } as const
  return [
    {
      name: 'quernel, bare',
      forms: {
        verb: {
          W9a: () => createItem(bare, 'written', one, create),
          W9b: () => createItems(bare, 'written', many, create),
          W9u: () => updateItem(bare, 'written', nextKey(), change(), shown),
          W10: () => deleteGone(bare),
        },
      },
    },
    {
      name: 'quernel, watching',
      forms: {
        verb: {
          W9a: () => createItem(watching, 'written', one, create),
          W9b: () => createItems(watching, 'written', many, create),
          W9u: () => updateItem(watching, 'written', nextKey(), change(), shown),
          W10: () => deleteGone(watching),
        },
      },
    },
    {
      name: 'quernel, listened',
      forms: {
        verb: {
          W9a: () => createItem(listened, 'written', one, create),
          W9u: () => updateItem(listened, 'written', nextKey(), change(), shown),
        },
      },
    },
    {
      name: 'quernel, recalling',
      forms: { verb: { W9u: () => updateItem(recalling, 'written', nextKey(), change(), shown) } },
    },
    {
      name: 'quernel, transacting',
      forms: {
        verb: { W9a: () => bare.transaction((inside) => createItem(inside, 'written', one, create)) },
      },
    },
    {
      name: 'quernel, committing',
      forms: { verb: { W9a: () => createItem(committing, 'written', one, create) } },
    },
    {
      name: 'quernel, adding',
      forms: {
        verb: {
          W9u: () => updateItem(bare, 'written', nextKey(), { ...change(), views: { _inc: 1 } }, shown),
        },
      },
    },
    { name: 'quernel, hooked', forms: { verb: { W9a: () => createItem(hooked, 'written', one, create) } } },
    {
      name: 'quernel, validated',
      forms: { verb: { W9a: () => createItem(validated, 'written', one, create) } },
    },
  ]
}

/** Who writes under rules that look at memberships. */
export function relatedQuernelWriter(db: Kysely<Tables>): Writer {
  const whole = createEngine({ db, schema: relatedSchema })
  const engine = () => whole.as({ user: caller, rules: relatedRules })
  const verb = {
    W9a: () => createItem(engine(), 'written', one, { fields: ['id'] }),
    W9u: () => updateItem(engine(), 'written', nextKey(), change(), { fields: ['id', 'title'] }),
    W10d: async () => {
      await deleteItem(engine(), 'written', turns.gone)
      return { deleted: 1 }
    },
  }
  return { name: 'quernel, related', forms: { verb } }
}

type Written = ReturnType<typeof createEngine<typeof schema>>

/** Upserts name fields that a caller with rules may not update. */
const wholeVerbs = (engine: Written) => ({
  ...verbs(() => engine),
  W9p: () => upsertItem(engine, 'written', put(), { fields: ['id', 'title'] }),
  W9pb: () => upsertItems(engine, 'written', putMany(), { fields: ['id'] }),
})

const verbs = (engine: () => Written) => ({
  W9a: () => createItem(engine(), 'written', one, { fields: ['id'] }),
  W9b: () => createItems(engine(), 'written', many, { fields: ['id'] }),
  W9u: () => updateItem(engine(), 'written', nextKey(), change(), { fields: ['id', 'title'] }),
  W9q: async () => {
    const views = nextViews()
    const { updated } = await updateByQuery(engine(), 'written', gone, { views }, { keys: false })
    return { updated }
  },
  W10d: async () => {
    await deleteItem(engine(), 'written', turns.gone)
    return { deleted: 1 }
  },
  W10: () => deleteGone(engine()),
  W10k: () => deleteByQuery(engine(), 'written', gone),
})

const gone = { filter: { status: 'gone' } } as const

async function deleteGone(engine: Written) {
  const { deleted } = await deleteByQuery(engine, 'written', gone, { keys: false })
  return { deleted }
}
