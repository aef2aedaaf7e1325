// A world in which user 7 may write flows and little else, and user 1 everything.
import { sql } from 'kysely'
import {
  type CollectionFlowsOptions,
  collectionFlows,
  createFlows,
  defineFlow,
  type FlowDefinition,
  type FlowsOptions,
  operationTypes,
} from '../../src/flows.ts'
import {
  type Access,
  createEngine,
  createItem,
  defineSchema,
  deleteByQuery,
  type EngineOptions,
  listItems,
  updateItem,
} from '../../src/index.ts'
import type { TestDatabase } from '../support/databases.ts'
import { json, key, many, maybeOne, number, string, text } from '../support/fields.ts'

export const schema = defineSchema({
  users: { fields: { id: key, name: text, salary: number, password: { type: 'hash', nullable: true } } },
  articles: {
    versioned: true,
    fields: {
      id: key,
      title: text,
      body: text,
      views: number,
      meta: json,
      token: { ...text, conceal: true },
      author: maybeOne('users'),
      comments: many('comments.article'),
      flows: many('flows.article'),
    },
  },
  comments: { fields: { id: key, text, secret: text, article: maybeOne('articles') } },
  leaks: { fields: { id: key, text: { type: 'text', nullable: true } } },
  flows: {
    versioned: true,
    fields: {
      id: key,
      name: string,
      active: { type: 'boolean', nullable: true },
      trigger: { type: 'json' },
      access: text,
      first: text,
      operations: json,
      article: maybeOne('articles'),
      saved_by: number,
    },
  },
})

export const admin: Access = { admin: true, user: 1, role: 'boss' }

const seen = {
  fields: ['id', 'title', 'views', 'meta', 'author', 'comments', 'token'],
  filter: { title: { _nstarts_with: 'Hidden' } },
}

/** The attacker, who may write flows. */
export const attacker: Access = {
  user: 7,
  rules: {
    flows: { create: true, read: true, update: true, delete: true },
    versions: { create: true, read: true, update: true },
    leaks: { create: true, read: true },
    users: { read: { fields: ['id', 'name'] } },
    articles: {
      read: seen,
      update: { fields: ['title'], filter: { author: { _eq: '$CURRENT_USER' } } },
    },
  },
}

/** The attacker where all articles are seen, with the same fields. */
export const wide: Access = {
  ...attacker,
  rules: { ...attacker.rules, articles: { read: { fields: seen.fields } } },
}

const hostsFlow = defineFlow({
  name: 'hosts-flow',
  trigger: { on: 'flow' },
  access: 'caller',
  first: 'read',
  operations: { read: { type: 'item-read', options: { collection: 'users', key: 1 } } },
})

const secretFlow = defineFlow({
  name: 'secret-flow',
  trigger: { on: 'flow' },
  access: 'full',
  first: 'read',
  operations: { read: { type: 'item-read', options: { collection: 'users' } } },
})

/** What differs from the world of most tries. */
export interface World extends Partial<Omit<FlowsOptions, 'flows'>> {
  /** The rights of user 7. */
  readonly rights?: Access
  /** What the rows may hear of, with whose rights, and with which operations. */
  readonly limits?: Partial<CollectionFlowsOptions>
  readonly hostsFlows?: readonly FlowDefinition[]
  readonly engineOptions?: Partial<EngineOptions<typeof schema>>
  /** False: the flows are not started. */
  readonly isStarted?: boolean
}

/** Opens the world: user 1 has a salary, article 1 is seen by the attacker, and article 2 is not. */
export async function openWorld(
  { name, open }: TestDatabase,
  { rights = attacker, limits, hostsFlows = [], engineOptions, isStarted = true, ...options }: World = {},
) {
  const opened = await open()
  const serial = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
  const json = name === 'sqlite' ? 'text' : 'jsonb'
  for (const table of [
    `users (id ${serial}, name text, salary integer, password text)`,
    `articles (id ${serial}, title text, body text, views integer, meta ${json}, token text, author integer)`,
    `comments (id ${serial}, text text, secret text, article integer)`,
    `leaks (id ${serial}, text text)`,
    `flows (id ${serial}, name text, active boolean, "trigger" ${json}, access text, first text, operations ${json}, article integer, saved_by integer)`,
  ])
    await opened.run(`create table ${table}`)
  const engine = createEngine({ db: opened.db, schema, onError: () => undefined, ...engineOptions })
  await engine.install()
  await createItem(engine, 'users', { id: 1, name: 'Ada', salary: 9000, password: 'pass-of-ada' })
  await createItem(engine, 'users', { id: 7, name: 'Eve', salary: 10 })
  await createItem(engine, 'articles', { id: 1, title: 'Tea', body: 'body-of-tea', views: 3, author: 1 })
  await createItem(engine, 'articles', {
    id: 2,
    title: 'Hidden',
    body: 'body-of-hidden',
    views: 4,
    author: 1,
  })
  const flows = createFlows(engine, {
    access: (word, { user }) => (word !== 'author' ? null : user === 7 ? rights : user === 1 ? admin : null),
    ...options,
    flows: [
      hostsFlow,
      secretFlow,
      ...hostsFlows,
      collectionFlows('flows', {
        access: ['author'],
        author: 'saved_by',
        collections: ['articles'],
        operations: Object.keys(options.operationTypes ?? operationTypes),
        flows: ['hosts-flow'],
        limits: { bytes: 1024 * 1024 },
        ...limits,
      }),
    ],
  })
  if (isStarted) await flows.start()
  const mine = engine.as(rights)
  let planted = 0
  return {
    engine,
    flows,
    /** The engines of the attacker and of the admin. */
    mine,
    boss: engine.as(admin),
    /** Saves a flow as the attacker, and returns its key. */
    plant: async (row: Planted) => {
      planted += 1
      const created = await createItem(mine, 'flows', {
        ...row,
        name: row.name ?? `planted ${planted}`,
      } as never)
      return Number(created?.id)
    },
    /** Why flows are disabled, by their names. */
    problems: () =>
      Object.fromEntries(
        flows
          .status()
          .flows.filter(({ state }) => state === 'disabled')
          .map((one) => [one.name, one.problems.map(({ message }) => message)]),
      ),
    /** All that the flows of the attacker have carried off. */
    leaked: async () => {
      const { data } = await listItems(engine, 'leaks', { fields: ['text'], sort: ['id'] })
      return data.map((one) => one.text)
    },
    /** Rows as the database has them. */
    select: (text: string) => sql.raw(text).execute(opened.db),
    /** Makes it what it was when it was opened. */
    restore: async () => {
      await opened.run('delete from leaks')
      await deleteByQuery(engine, 'flows', { limit: -1 })
      await deleteByQuery(engine, 'articles', { filter: { id: { _gt: 2 } } })
      await deleteByQuery(engine, 'users', { filter: { id: { _gt: 7 } } })
      await updateItem(engine, 'articles', 1, { title: 'Tea', body: 'body-of-tea', views: 3 })
    },
    close: async () => {
      await flows.stop()
      await opened.close()
    },
  }
}

/** A row of flows. */
export interface Planted {
  readonly name?: string
  readonly trigger: object
  readonly access?: string | null
  readonly first?: string
  readonly operations?: object
  readonly [field: string]: unknown
}

export type OpenedWorld = Awaited<ReturnType<typeof openWorld>>

/** A flow that carries off what is at a place. */
export const spy = (
  on: string | readonly string[],
  text = '{{ $trigger }}',
  members: object = {},
): Planted => ({
  trigger: { on, collections: ['articles'], when: 'beforeCommit' },
  first: 'leak',
  operations: {
    leak: {
      type: 'item-create',
      options: { collection: 'leaks', payload: { text: `=${text}` } },
      ...members,
    },
  },
})

/** A flow that replaces the payload. */
export const rewrite = (on: string | readonly string[], json: object, collection = 'articles'): Planted => ({
  trigger: { on, collections: [collection], when: 'before', returns: 'made' },
  first: 'made',
  operations: { made: { type: 'transform', options: { json } } },
})
