// Flows of the service as definitions: those that run, and all that is told of the others.
import { Cron } from 'croner'
import * as jose from 'jose'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFlows,
  defineOperation,
  type FlowDefinition,
  operationTypes,
  quickScript,
} from '../../src/flows.ts'
import { createEngine, createItem, type Engine } from '../../src/index.ts'
import {
  type CmsFlows,
  type CmsFlowsOptions,
  type CmsSchema,
  readCmsFlows,
  readCmsSchema,
} from '../../src/introspect.ts'
import { atEnd } from '../support/at-end.ts'
import { type OpenDatabase, openSqlite, type TestDatabase } from '../support/databases.ts'
import { titled } from '../support/titled.ts'
import type { Db } from './cms-server.ts'
import { cmsDatabases } from './databases.ts'
import { addFlow, type FlowRowOfService, idOf } from './flow-rows.ts'

/** All that a host gives to flows. */
const ofHost = { cron: Cron, access: () => null, jwt: jose, send: () => null, script: quickScript() }

/** Reads the flows of a database, and gives them to an engine: whatever stands in the rows, none is refused there. */
function flowsOf(
  database: TestDatabase,
  change: (db: Db) => Promise<unknown>,
  options: CmsFlowsOptions = {},
): Promise<CmsFlows> {
  return inDatabase(database, async ({ db, schema, engine }) => {
    await change(db)
    const read = await readCmsFlows(db, { schema, ...ofHost, ...options })
    const { flows, secrets } = read
    const made = createFlows(engine, {
      ...ofHost,
      flows,
      secrets,
      ...(options.hosts && { hosts: options.hosts }),
    })
    expect(made.status().flows.map(({ name, state }) => [name, state])).toEqual(
      flows.map(({ name }) => [name, 'active']),
    )
    await made.stop()
    return read
  })
}

interface ServiceWorld {
  readonly db: Db
  readonly schema: CmsSchema
  readonly engine: Engine<CmsSchema>
}

/** Does something in a database of the service, with an engine over it. */
async function inDatabase<Result>(
  { open }: TestDatabase,
  work: (world: ServiceWorld) => Promise<Result>,
): Promise<Result> {
  const { db } = await open()
  const schema = await readCmsSchema(db)
  return work({ db, schema, engine: createEngine({ db, schema, ...schema.options, flows: {} }) })
}

const far = 'far_away'

/** Opens a database whose tables of the service stand in another schema than the one in which bare names are looked up. */
async function elsewhere(
  { name, open }: TestDatabase,
  change: (db: Db) => Promise<unknown>,
): Promise<OpenDatabase> {
  const opened = await open()
  await change(opened.db)
  if (name === 'sqlite') {
    const { rows } = await sql<{ file: string }>`pragma database_list`.execute(opened.db)
    const here = await openSqlite()
    await sql`attach ${rows[0]?.file} as ${sql.id(far)}`.execute(here.db)
    return here
  }
  const { rows } = await sql<{ home: string }>`select current_schema() as home`.execute(opened.db)
  const home = sql.id(rows[0]?.home ?? '')
  await sql`alter schema ${home} rename to ${sql.id(far)}`.execute(opened.db)
  await sql`create schema ${home}`.execute(opened.db)
  atEnd(() => sql`drop schema ${sql.id(far)} cascade`.execute(opened.db))
  return opened
}

const told = ({ report }: CmsFlows) =>
  report.map(({ flow, operation, message }) => [flow === idOf('it') ? 'it' : flow, operation, message])

const step = (type: string, options: unknown): Pick<FlowRowOfService, 'operations'> => ({
  operations: [{ key: 'a', type, options }],
})

interface DefinitionCase {
  readonly title: string
  readonly row: FlowRowOfService
  readonly definition: Omit<FlowDefinition, 'name'>
  readonly report?: readonly (readonly [operation: string | undefined, message: string])[]
}

const late = 'Where it fails, the answer is an error; there it has the status 200.'
const noRepeats = { retry: { times: 0 } }
const called = { on: 'flow', returns: '$last' } as const
const ofCall = { access: 'caller', ...noRepeats } as const

const definitions: readonly DefinitionCase[] = titled({
  'a webhook keeps its key, its method, its headers and its answer': {
    row: {
      trigger: 'webhook',
      options: { method: 'POST', return: 'read', error_on_reject: true, async: false },
      operations: [
        {
          key: 'seen',
          type: 'condition',
          options: { filter: { $trigger: { headers: { 'x-kind': { _eq: 'order' } } } } },
          resolve: 'read',
          reject: 'note',
        },
        {
          key: 'read',
          type: 'item-read',
          options: {
            collection: 'tags',
            key: ['{{ $trigger.body.id }}'],
            query: { fields: ['name'] },
            permissions: '$full',
            emitEvents: false,
          },
        },
        { key: 'note', type: 'log', options: { message: 'From {{ $trigger.headers["User-Agent"] }}' } },
      ],
    },
    definition: {
      trigger: {
        on: 'webhook',
        allow: 'public',
        method: 'POST',
        headers: ['x-kind', 'user-agent'],
        returns: 'read',
      },
      ...ofCall,
      first: 'seen',
      operations: {
        seen: {
          type: 'condition',
          options: { filter: { $trigger: { headers: { 'x-kind': { _eq: 'order' } } } } },
          resolve: 'read',
          reject: 'note',
        },
        read: {
          type: 'item-read',
          options: { collection: 'tags', key: '{{ $trigger.body.id }}', query: { fields: ['name'] } },
          access: 'full',
        },
        note: { type: 'log', options: { message: 'From {{ $trigger.headers["User-Agent"] }}' } },
      },
    },
  },
  'a webhook without a method is GET, and one without operations answers its trigger': {
    row: { options: null, operations: [] },
    definition: {
      trigger: { on: 'webhook', allow: 'public', method: 'GET' },
      ...ofCall,
      operations: {},
    },
    report: [
      [undefined, 'Of the headers it sees those that the definition lists.'],
      [undefined, late],
    ],
  },
  'a manual flow is for who is known, and for collections that are there': {
    row: {
      trigger: 'manual',
      options: { collections: ['tags', 'gone'], requireSelection: false, async: true, error_on_reject: true },
      ...step('item-update', {
        collection: 'tags',
        key: '{{ $trigger.body.keys }}',
        payload: '{ "name": "{{ $trigger.body.name }}" }',
        permissions: '00000000-0000-4000-8000-00000000A001',
      }),
    },
    definition: {
      trigger: {
        on: 'manual',
        allow: 'authenticated',
        collections: ['tags'],
        needsSelection: false,
        waitMs: 0,
      },
      ...ofCall,
      first: 'a',
      operations: {
        a: {
          type: 'item-update',
          options: {
            collection: 'tags',
            keys: '{{ $trigger.body.keys }}',
            payload: { name: '{{ $trigger.body.name }}' },
          },
          access: '00000000-0000-4000-8000-00000000a001',
        },
      },
    },
    report: [
      ['a', '"payload" is read before values are written into it, so each keeps its type.'],
      ['a', 'Its template brings a list of keys, so the answer is a list, also for one of them.'],
      [undefined, 'There is no collection "gone", so the flow does not listen to it.'],
    ],
  },
  'a schedule works with all rights, overlaps and makes up for nothing': {
    row: {
      trigger: 'schedule',
      options: { cron: ' */5  * * * * ' },
      ...step('item-delete', { collection: 'tags', query: '{"filter":{"name":{"_null":true}}}', key: [] }),
    },
    definition: {
      trigger: { on: 'schedule', cron: '*/5 * * * *', timeZone: 'UTC', overlap: 'allow', missed: 'none' },
      access: 'full',
      ...noRepeats,
      first: 'a',
      operations: {
        a: {
          type: 'item-delete',
          options: { collection: 'tags', query: { filter: { name: { _null: true } } } },
        },
      },
    },
  },
  'a filter runs before a write': {
    row: {
      trigger: 'event',
      options: {
        type: 'filter',
        scope: ['items.create', 'items.update'],
        collections: ['tags'],
        return: '$last',
      },
      ...step('transform', { json: { name: '{{ $trigger.payload.name }}!' } }),
    },
    definition: {
      trigger: {
        on: ['items.create', 'items.update'],
        collections: ['tags'],
        when: 'before',
        returns: '$last',
      },
      access: 'caller',
      first: 'a',
      operations: { a: { type: 'transform', options: { json: { name: '{{ $trigger.payload.name }}!' } } } },
    },
  },
  'a filter that writes runs before the commit, and its payload stays': {
    row: {
      trigger: 'event',
      options: {
        type: 'filter',
        scope: ['items.create', 'items.read'],
        collections: ['tags'],
        return: '$last',
      },
      ...step('item-create', { collection: 'comments', payload: { text: 'new' }, permissions: '$full' }),
    },
    definition: {
      trigger: { on: ['items.create'], collections: ['tags'], when: 'beforeCommit' },
      access: 'caller',
      first: 'a',
      operations: {
        a: {
          type: 'item-create',
          options: { collection: 'comments', payload: { text: 'new' } },
          access: 'full',
        },
      },
    },
    report: [
      [undefined, 'Flows of this kind do not support "items.read", so it does not run then.'],
      [
        undefined,
        'It writes, so it runs "beforeCommit", when the rows are stored: what it returns replaces no payload.',
      ],
    ],
  },
  'an action runs after the commit, one of users among them, and hears of no reads and logins': {
    row: {
      trigger: 'event',
      options: {
        type: 'action',
        scope: ['items.update', 'items.read', 'auth.login'],
        collections: ['directus_users'],
      },
      ...step('log', { message: '{{ $trigger.keys }}' }),
    },
    definition: {
      trigger: { on: ['items.update'], collections: ['directus_users'], when: 'after' },
      ...ofCall,
      first: 'a',
      operations: { a: { type: 'log', options: { message: '{{ $trigger.keys }}' } } },
    },
    report: [
      [undefined, 'Flows of this kind do not support "items.read", so it does not run then.'],
      [undefined, 'Flows of this kind do not support "auth.login", so it does not run then.'],
      [
        undefined,
        '"$trigger.event" has the name of the collection: "directus_users.items.update" in place of "users.update".',
      ],
    ],
  },
  'operations that no path reaches are left out, and a path that leads nowhere ends': {
    row: {
      trigger: 'operation',
      options: { return: '$last' },
      operations: [
        { key: 'a', options: { message: 'hello', unknown: 1, empty: null, off: false } },
        { key: 'b', options: { message: '{{ nothing }}' } },
      ],
    },
    definition: {
      trigger: called,
      ...ofCall,
      first: 'a',
      operations: { a: { type: 'log', options: { message: 'hello' } } },
    },
    report: [
      ['b', 'Nothing leads to it, so it is left out.'],
      ['a', 'There is no option "unknown" here, so it is left out.'],
    ],
  },
  'mails, notifications and scripts have other names': {
    row: {
      trigger: 'operation',
      options: { return: '$last' },
      operations: [
        {
          key: 'a',
          type: 'mail',
          options: {
            to: ['{{ $trigger.to }}'],
            subject: 's',
            body: 'b',
            type: 'wysiwyg',
            bcc: ['x@example.com'],
          },
          resolve: 'b',
        },
        {
          key: 'b',
          type: 'notification',
          options: {
            recipient: 'u',
            subject: 's',
            message: 'm',
            permissions: '$trigger',
            collection: 'tags',
          },
          resolve: 'c',
        },
        { key: 'c', type: 'exec', options: { code: 'module.exports = (data) => data.$env' } },
      ],
    },
    definition: {
      trigger: called,
      ...ofCall,
      first: 'a',
      operations: {
        a: {
          type: 'send',
          options: { kind: 'mail', to: ['{{ $trigger.to }}'], subject: 's', body: 'b', type: 'wysiwyg' },
          resolve: 'b',
        },
        b: {
          type: 'send',
          options: { kind: 'notification', to: 'u', subject: 's', body: 'm' },
          resolve: 'c',
        },
        c: { type: 'script', options: { code: 'module.exports = (data) => data.$env' } },
      },
    },
    report: [
      ['a', 'A message has no "bcc", so it is left out.'],
      ['b', 'A message has no "collection", so it is left out.'],
      ['c', 'A script gets no "$env".'],
    ],
  },
  'a list starts one run after the other, and a request without a body has none': {
    row: {
      trigger: 'operation',
      options: { return: '$last' },
      operations: [
        { key: 'a', type: 'trigger', options: { flow: idOf('it'), payload: '{{ $trigger }}' }, resolve: 'b' },
        {
          key: 'b',
          type: 'request',
          options: { method: 'GET', url: 'https://example.com/', body: 'x', headers: [] },
        },
      ],
    },
    definition: {
      trigger: called,
      ...ofCall,
      first: 'a',
      operations: {
        a: { type: 'trigger', options: { flow: idOf('it'), payload: '{{ $trigger }}' }, resolve: 'b' },
        b: { type: 'request', options: { method: 'GET', url: 'https://example.com/', headers: [] } },
      },
    },
    report: [
      ['a', 'A list starts one run after the other, and none beside each other.'],
      ['b', 'A request of the method GET has no body, so it is left out.'],
    ],
  },
  'items that nothing names are told of': {
    row: {
      trigger: 'operation',
      options: {},
      operations: [
        { key: 'a', type: 'item-read', options: { collection: 'tags', key: [], query: {} }, resolve: 'b' },
        { key: 'b', type: 'item-update', options: { collection: 'tags', payload: { name: 'x' } } },
      ],
    },
    definition: {
      trigger: { on: 'flow' },
      ...ofCall,
      first: 'a',
      operations: {
        a: { type: 'item-read', options: { collection: 'tags' }, resolve: 'b' },
        b: { type: 'item-update', options: { collection: 'tags', payload: { name: 'x' } } },
      },
    },
    report: [
      ['a', 'It names no items, so it lists the collection; there it is null.'],
      ['b', 'It names no items, so it is rejected; there it does nothing.'],
      [undefined, 'It answers its last value; there it answers null, because no "return" is set.'],
    ],
  },
})

interface RefusedCase {
  readonly title: string
  readonly row: FlowRowOfService
  readonly report: readonly (readonly [operation: string | undefined, message: string | RegExp])[]
}

const chain = (length: number) =>
  Array.from({ length }, (_, at) => ({
    key: `k${at}`,
    options: { message: 'x' },
    ...(at + 1 < length && { resolve: `k${at + 1}` }),
  }))

const refused: readonly RefusedCase[] = titled({
  'one that is not active': {
    row: { status: 'inactive', options: '"nonsense"' },
    report: [[undefined, 'Left out: It is not active.']],
  },
  'one without a trigger': {
    row: { trigger: null },
    report: [[undefined, 'Left out: It has no trigger.']],
  },
  'one of a trigger that nobody knows': {
    row: { trigger: '__proto__' },
    report: [[undefined, 'Left out: There is no trigger "__proto__".']],
  },
  'one whose options are no object': {
    row: { options: '"a text"' },
    report: [[undefined, 'Left out: Its options are no object.']],
  },
  'one that nests deeper than a call can follow': {
    row: step('transform', `{"json":${'['.repeat(2_000)}${']'.repeat(2_000)}}`),
    report: [['a', 'Left out: What its options hold nests deeper than 64 levels.']],
  },
  'one that is larger than a chain': {
    row: step('transform', { json: 'x'.repeat(5_000_000) }),
    report: [['a', /^Left out: What its options hold has more than 4,194,304 bytes as JSON\.$/]],
  },
  'one that runs in a circle': {
    row: {
      operations: [
        { key: 'a', options: { message: 'x' }, resolve: 'b' },
        { key: 'b', options: { message: 'x' }, resolve: 'a' },
      ],
    },
    report: [[undefined, /^Left out: The operations run in a circle: a → b → a\. To do something/]],
  },
  'one whose operation leads to itself': {
    row: { operations: [{ key: 'a', options: { message: 'x' }, reject: 'a' }] },
    report: [[undefined, /^Left out: The operations run in a circle: a → a\./]],
  },
  'one of ten thousand operations': {
    row: { operations: chain(10_000) },
    report: [[undefined, 'Left out: A flow has 200 operations at most, and this one has 10000.']],
  },
  'one with two operations of one key': {
    row: {
      operations: [
        { key: 'b', options: { message: 'x' }, resolve: 1 },
        { key: 'a', options: { message: 'x' }, resolve: 2 },
        { key: 'a', options: { message: 'y' } },
      ],
    },
    report: [['a', 'Left out: Two operations have this key.']],
  },
  'one with a type that nobody knows': {
    row: step('my-extension', { anything: 1 }),
    report: [['a', /^Left out: There is no operation "my-extension"\. Known: /]],
  },
  'one with a name of an operation that is none': {
    row: { operations: [{ key: `it's "$last"`, options: { message: 'x' } }] },
    report: [[`it's "$last"`, /^Left out: "it's \\"\$last\\"" is no name of an operation/]],
  },
  'one with the prototype for a name': {
    row: { operations: [{ key: '__proto__', options: { message: 'x' } }] },
    report: [['__proto__', /^Left out: "__proto__" is no name of an operation/]],
  },
  'one with a template that looks at what has not run': {
    row: step('log', { message: '{{ later.name }}' }),
    report: [['a', /^Left out: The place \{\{ later\.name \}\} names "later", which has not run/]],
  },
  'one with a broken template': {
    row: step('log', { message: '{{ $trigger' }),
    report: [['a', /^Left out: The template cannot be read:/]],
  },
  'one with a condition that says nothing': {
    row: step('condition', { filter: {} }),
    report: [['a', /^Left out: A condition is a filter that says something/]],
  },
  'one whose rights are a word that means something here': {
    row: step('item-read', { collection: 'tags', query: { limit: 1 }, permissions: 'full' }),
    report: [['a', 'Left out: Its "permissions" are no role.']],
  },
  'one whose rights are no text': {
    row: step('item-read', { collection: 'tags', query: { limit: 1 }, permissions: ['$full'] }),
    report: [['a', 'Left out: Its "permissions" are no role.']],
  },
  'one whose collection comes from a template': {
    row: step('item-read', {
      collection: '{{ $trigger.body.c }}',
      query: { limit: 1 },
      permissions: '$full',
    }),
    report: [['a', /^Left out: A template stands for a value here.* Place: options\.collection\.$/]],
  },
  'one of a collection that is not there': {
    row: { trigger: 'event', options: { type: 'action', scope: 'items.create', collections: 'gone' } },
    report: [[undefined, 'Left out: There is no collection "gone".']],
  },
  'an event of no collection': {
    row: { trigger: 'event', options: { type: 'filter', scope: ['items.create'] } },
    report: [[undefined, 'Left out: It names no collection, so it never runs.']],
  },
  'an event of no event that there is': {
    row: { trigger: 'event', options: { type: 'action', scope: ['items.read'], collections: ['tags'] } },
    report: [[undefined, 'Left out: Flows of this kind do not support "items.read".']],
  },
  'an event that is neither a filter nor an action': {
    row: { trigger: 'event', options: { scope: ['items.create'], collections: ['tags'] } },
    report: [[undefined, 'Left out: It is neither a filter nor an action, so it never runs.']],
  },
  'a filter that calls a server': {
    row: {
      trigger: 'event',
      options: { type: 'filter', scope: ['items.create'], collections: ['tags'] },
      ...step('request', { url: 'https://example.com/', method: 'GET' }),
    },
    report: [
      ['a', 'Left out: "request" reaches out of the database, so it is in no flow that runs "before".'],
    ],
  },
  'a schedule that is none': {
    row: { trigger: 'schedule', options: { cron: 'nope' } },
    report: [[undefined, /^Left out: "cron" has five fields, .* Place: trigger\.cron\.$/]],
  },
  'a schedule that looks like one': {
    row: { trigger: 'schedule', options: { cron: '99 * * * *' } },
    report: [[undefined, /^Left out: .*99/]],
  },
  'a schedule of nothing': {
    row: { trigger: 'schedule', options: {} },
    report: [[undefined, /^Left out: "cron" has five fields/]],
  },
  'one that starts a flow that is not there': {
    row: step('trigger', { flow: idOf('another'), payload: {} }),
    report: [['a', `Left out: It starts the flow "${idOf('another')}", which is not among the definitions.`]],
  },
  'one that starts itself': {
    row: step('trigger', { flow: idOf('it'), payload: {} }),
    report: [['a', /^Left out: The flow ".*" is not started by others\./]],
  },
  'one that hands a secret of the server to a transform': {
    row: step('transform', { json: '{{ $env.SECRET }}' }),
    report: [['a', /^Left out: A secret stands in the options that are made for secrets alone\./]],
  },
  'one that names a secret of which nobody has given the text': {
    row: step('request', { url: 'https://example.com/?key={{ $env.KEY }}', method: 'GET' }),
    report: [['a', /^Left out: There is no secret "KEY"\./]],
  },
  'one that sends a mail by a template of the service': {
    row: step('mail', { to: 'a@example.com', subject: 's', type: 'template', template: 'welcome' }),
    report: [['a', 'Left out: It sends a mail by a template of the service. Write its text into "body".']],
  },
  'a webhook of a method for which it never runs': {
    row: { options: { method: 'post' } },
    report: [[undefined, 'Left out: A webhook of the method "post" never runs.']],
  },
  'one of an extension that has the name of a type which is only here': {
    row: step('send', { to: 'a@example.com', subject: 's' }),
    report: [['a', 'Left out: The type "send" of the service is none of this package.']],
  },
  'a text of JSON that nests deeper than a call can follow': {
    row: step('condition', { filter: `${'['.repeat(50_000)}${']'.repeat(50_000)}` }),
    report: [
      ['a', /^Left out: "filter": .* Place: options\.filter\.$/],
      ['a', /^Left out: A condition is a filter that says something/],
    ],
  },
  'one that calls a host which a request names': {
    row: step('request', { url: 'https://{{ $trigger.body.host }}/', method: 'GET' }),
    report: [['a', /^Left out: A template names the host of this address/]],
  },
  'one with a place of its answer that is none': {
    row: { options: { method: 'POST', return: { a: 1 } } },
    report: [[undefined, /^Left out: "returns" is "\$last", "\$all" or a place/]],
  },
})

describe.each(cmsDatabases)('on $name', (database) => {
  it.each(definitions)('$title', async ({ row, definition, report = [] }) => {
    const read = await flowsOf(database, (db) => addFlow(db, 'it', row))
    expect(told(read)).toEqual(report.map((one) => ['it', ...one]))
    expect(read.flows).toEqual([{ name: idOf('it'), ...definition }])
    expect(read.secrets).toEqual({})
  })

  it.each(refused)('leaves out $title, and starts the others', async ({ row, report }) => {
    const read = await flowsOf(database, async (db) => {
      await addFlow(db, 'it', row)
      await addFlow(db, 'other', { trigger: 'operation', options: { return: '$last' } })
    })
    expect(told(read)).toEqual(
      report.map(([operation, message]) => [
        'it',
        operation,
        typeof message === 'string' ? message : expect.stringMatching(message),
      ]),
    )
    expect(read.flows.map(({ name }) => name)).toEqual([idOf('other')])
  })

  it('leaves out what starts a flow that is left out, however long the way', async () => {
    const length = 300
    const read = await flowsOf(database, async (db) => {
      for (let at = 0; at < length; at++)
        await addFlow(db, `f${at}`, {
          trigger: 'operation',
          options: { return: '$last' },
          ...step('trigger', { flow: idOf(`f${at + 1}`) }),
        })
      await addFlow(db, `f${length}`, { status: 'inactive' })
    })
    expect(read.flows).toEqual([])
    expect(read.report).toHaveLength(length + 1)
  })

  it('leaves out what starts a flow that starts one which nobody may start', async () => {
    const starting = (target: string): FlowRowOfService => ({
      trigger: 'operation',
      options: { return: '$last' },
      ...step('trigger', { flow: idOf(target) }),
    })
    const read = await flowsOf(database, async (db) => {
      await addFlow(db, 'first', starting('second'))
      await addFlow(db, 'second', starting('third'))
      await addFlow(db, 'third', starting('webhook'))
      await addFlow(db, 'webhook', { options: { method: 'POST', error_on_reject: true } })
    })
    expect(read.flows.map(({ name }) => name)).toEqual([idOf('webhook')])
    const says = (flow: string) =>
      read.report.filter((one) => one.flow === idOf(flow)).map((one) => one.message)
    expect(says('third')).toEqual([
      expect.stringMatching(/^Left out: The flow ".+" is not started by others\./),
    ])
    for (const [flow, target] of [
      ['second', 'third'],
      ['first', 'second'],
    ] as const)
      expect(says(flow)).toEqual([
        `Left out: It starts the flow "${idOf(target)}", which is not among the definitions.`,
      ])
  })

  it('starts flows that start each other in a long row', async () => {
    const length = 300
    const read = await flowsOf(database, async (db) => {
      for (let at = 0; at < length; at++)
        await addFlow(db, `f${at}`, {
          trigger: 'operation',
          options: { return: '$last' },
          ...step('trigger', { flow: idOf(`f${at + 1}`) }),
        })
      await addFlow(db, `f${length}`, {
        trigger: 'operation',
        options: { return: '$last' },
        ...step('item-create', { collection: 'tags', payload: { name: 'deep' } }),
      })
      await addFlow(db, 'it', {
        trigger: 'event',
        options: { type: 'filter', scope: ['items.delete'], collections: ['comments'] },
        ...step('trigger', { flow: idOf('f0') }),
      })
    })
    expect(read.report).toEqual([])
    expect(read.flows.find(({ name }) => name === idOf('it'))?.trigger).toMatchObject({
      when: 'beforeCommit',
    })
  })

  it('tells of flows that hear of what another one writes', async () => {
    const read = await flowsOf(database, async (db) => {
      await addFlow(db, 'it', {
        trigger: 'operation',
        options: { return: '$last' },
        ...step('item-create', { collection: 'tags', payload: { name: 'x' } }),
      })
      await addFlow(db, 'hearing', {
        trigger: 'event',
        options: { type: 'action', scope: ['items.create'], collections: ['tags'] },
        ...step('item-create', { collection: 'tags', payload: { name: 'y' } }),
      })
    })
    expect(told(read)).toEqual([
      [
        'it',
        'a',
        `What it writes triggers the flow "${idOf('hearing')}"; in the service only with "emitEvents".`,
      ],
    ])
  })

  it('tells of all that createFlows needs, which then refuses nothing, and without it says what to give', () =>
    inDatabase(database, async ({ db, schema, engine }) => {
      await addFlow(db, 'it', {
        options: { method: 'POST', error_on_reject: true },
        operations: [
          { key: 'a', type: 'exec', options: { code: 'module.exports = () => 1' }, resolve: 'b' },
          { key: 'b', type: 'mail', options: { to: 'a@example.com', subject: 's' }, resolve: 'c' },
          { key: 'c', type: 'notification', options: { recipient: 'u', subject: 's' }, resolve: 'd' },
          {
            key: 'd',
            type: 'json-web-token',
            options: { operation: 'decode', token: 'x' },
            resolve: 'e',
          },
          {
            key: 'e',
            type: 'item-read',
            options: { collection: 'tags', permissions: idOf('role'), query: { limit: 1 } },
          },
        ],
      })
      await addFlow(db, 'called', { trigger: 'operation', options: { return: '$last' }, ...step('log', {}) })
      await addFlow(db, 'badly timed', { trigger: 'schedule', options: { cron: 'x x x x x' } })
      const read = await readCmsFlows(db, { schema })
      const says = (message: RegExp) => expect.stringMatching(message)
      expect(read.report.filter(({ flow }) => flow === idOf('it'))).toEqual([
        { flow: idOf('it'), needs: 'access', message: says(/Give createFlows "access"/) },
        { flow: idOf('it'), operation: 'a', needs: 'script', message: says(/"script": quickScript\(\)/) },
        { flow: idOf('it'), operation: 'b', needs: 'send', message: says(/"send": a function/) },
        { flow: idOf('it'), operation: 'c', needs: 'send', message: says(/"send": a function/) },
        { flow: idOf('it'), operation: 'd', needs: 'jwt', message: says(/"jwt": jose/) },
        { flow: idOf('it'), operation: 'e', needs: 'access', message: says(new RegExp(idOf('role'))) },
      ])
      expect(read.report.filter(({ flow }) => flow === idOf('called'))).toEqual([])
      const ofSchedule = read.report.filter(({ flow }) => flow === idOf('badly timed'))
      expect(ofSchedule).toEqual([
        { flow: idOf('badly timed'), needs: 'cron', message: says(/^Left out: .*\{ cron: Cron \}\.$/) },
      ])
      expect(read.flows.map(({ name }) => name).toSorted()).toEqual([idOf('called'), idOf('it')].toSorted())
      const { flows, secrets } = read
      const { cron: _cron, ...others } = ofHost
      await createFlows(engine, { ...others, flows, secrets }).stop()
      for (const name of ['access', 'script', 'send', 'jwt'] as const) {
        const { [name]: _without, ...some } = others
        expect(() => createFlows(engine, { ...some, flows, secrets }), name).toThrow(
          expect.objectContaining({ code: 'INVALID_OPTIONS', hint: says(new RegExp(`"${name}"`)) }),
        )
      }
      const timed = await readCmsFlows(db, { schema, cron: Cron })
      expect(timed.report.filter(({ flow }) => flow === idOf('badly timed'))).toEqual([
        { flow: idOf('badly timed'), message: says(/^Left out: The schedule "x x x x x" cannot be read/) },
      ])
    }))

  it('takes the texts of secrets that flows name, and hosts', async () => {
    const read = await flowsOf(
      database,
      (db) =>
        addFlow(db, 'it', {
          options: { method: 'POST', error_on_reject: true },
          ...step('request', {
            url: 'https://{{ $trigger.body.host }}/',
            method: 'POST',
            headers: [{ header: 'authorization', value: 'Bearer {{ $env.KEY }}' }],
          }),
        }),
      { secrets: { KEY: 'a text of a secret' }, hosts: ['api.example.com'] },
    )
    expect(read.report).toEqual([])
    expect(read.flows).toHaveLength(1)
    expect(read.secrets).toEqual({ KEY: 'a text of a secret' })
  })

  it('moves keys of tokens to secrets, and names algorithms', async () => {
    const rows = (secret: string): FlowRowOfService => ({
      trigger: 'operation',
      options: { return: '$last' },
      operations: [
        {
          key: 'a',
          type: 'json-web-token',
          options: { operation: 'sign', payload: { a: 1 }, secret, options: '{ "expiresIn": "1h" }' },
          resolve: 'b',
        },
        { key: 'b', type: 'json-web-token', options: { operation: 'verify', token: '{{ a }}', secret } },
      ],
    })
    const read = await flowsOf(database, async (db) => {
      await addFlow(db, 'it', rows('a key of some length'))
      await addFlow(db, 'short', rows('k'))
      await addFlow(db, 'off', { ...rows('a key of another flow'), status: 'inactive' })
    })
    const names = [0, 1].map((at) => `key_of_${idOf(`it ${at}`)}`)
    expect(read.secrets).toEqual(Object.fromEntries(names.map((name) => [name, 'a key of some length'])))
    expect(read.flows.find(({ name }) => name === idOf('it'))?.operations).toEqual({
      a: {
        type: 'json-web-token',
        options: {
          operation: 'sign',
          payload: { a: 1 },
          secret: `{{ $env.${names[0]} }}`,
          options: { expiresIn: '1h' },
        },
        resolve: 'b',
      },
      b: {
        type: 'json-web-token',
        options: {
          operation: 'verify',
          token: '{{ a }}',
          secret: `{{ $env.${names[1]} }}`,
          options: { algorithms: ['HS256', 'HS384', 'HS512'] },
        },
      },
    })
    const says = 'Its key has fewer than 8 characters, so it is no secret and stays in the definition.'
    expect(told({ ...read, report: read.report.filter(({ flow }) => flow === idOf('short')) })).toEqual([
      [idOf('short'), 'a', says],
      [idOf('short'), 'b', says],
    ])
    expect(JSON.stringify([read.flows, read.report])).not.toContain('a key of')
  })

  it('leaves out a flow whose key is a word of others', async () => {
    const key = 'collection'
    const read = await flowsOf(database, async (db) => {
      await addFlow(db, 'it', {
        trigger: 'operation',
        options: { return: '$last' },
        ...step('item-read', { collection: 'tags', query: { limit: 1 } }),
      })
      await addFlow(db, 'signing', {
        trigger: 'operation',
        options: { return: '$last' },
        ...step('json-web-token', { operation: 'sign', payload: { a: 1 }, secret: key }),
      })
    })
    expect(read.flows.map(({ name }) => name)).toEqual([idOf('it')])
    expect(read.secrets).toEqual({})
    expect(told(read)).toEqual([
      [idOf('signing'), 'a', 'Left out: Its key stands in the text of flows, too, so it is no secret.'],
    ])
  })

  it('reads templates that stand for a value in a text of JSON, and lends no rights by options that mean nothing', async () => {
    const read = await flowsOf(database, (db) =>
      addFlow(db, 'it', {
        trigger: 'operation',
        options: { return: '$last' },
        operations: [
          {
            key: 'a',
            type: 'item-create',
            options: { collection: 'tags', payload: '{ "id": {{ $trigger["n"] }}, "name": "{{{{" }' },
            resolve: 'b',
          },
          {
            key: 'b',
            type: 'item-create',
            options: { collection: 'tags', payload: '{ {{ a }} }' },
            resolve: 'c',
          },
          { key: 'c', type: 'trigger', options: { flow: idOf('it'), payload: {}, permissions: '$full' } },
        ],
      }),
    )
    expect(told(read)).toEqual([['it', 'a', expect.stringMatching(/^Left out: The template cannot be read/)]])
    const mended = await flowsOf(database, (db) =>
      addFlow(db, 'it', {
        trigger: 'operation',
        options: { return: '$last' },
        operations: [
          {
            key: 'a',
            type: 'item-create',
            options: { collection: 'tags', payload: '{ "id": {{ $trigger["n"] }}, "name": "x" }' },
            resolve: 'b',
          },
          {
            key: 'b',
            type: 'item-create',
            options: { collection: 'tags', payload: '{ {{ a }} }' },
            resolve: 'c',
          },
          { key: 'c', type: 'trigger', options: { flow: idOf('it'), payload: {}, permissions: '$full' } },
        ],
      }),
    )
    expect(told(mended)).toEqual([
      ['it', 'a', '"payload" is read before values are written into it, so each keeps its type.'],
      ['it', 'b', '"payload" is no JSON before values are written into it, so it is rejected.'],
    ])
    expect(mended.flows[0]?.operations).toMatchObject({
      a: { options: { payload: { id: '{{ $trigger["n"] }}', name: 'x' } } },
    })
    expect(JSON.stringify(mended.flows)).not.toContain('full')
  })

  it('takes a type of the host in place of one of the service', () =>
    inDatabase(database, async ({ db }) => {
      await addFlow(db, 'it', {
        trigger: 'operation',
        options: { return: '$last' },
        ...step('mail', { to: 'a@example.com', template: 'welcome' }),
      })
      const mail = defineOperation({
        kind: 'outside',
        doc: 'Sends a mail by a template.',
        options: {
          to: { schema: z.string(), doc: 'Whom it is for.' },
          template: { schema: z.string(), doc: 'The template.' },
        },
        run: () => null,
      })
      const read = await readCmsFlows(db, { operationTypes: { ...operationTypes, mail } })
      expect(read.report).toEqual([])
      expect(read.flows[0]?.operations).toEqual({
        a: { type: 'mail', options: { to: 'a@example.com', template: 'welcome' } },
      })
    }))

  it('reads and runs flows of another schema of the database', async () => {
    const { db } = await elsewhere(database, (inside) =>
      addFlow(inside, 'it', {
        trigger: 'event',
        options: { type: 'filter', scope: ['items.create'], collections: ['tags'], return: '$last' },
        ...step('transform', { json: { name: '{{ $trigger.payload.name }}!' } }),
      }),
    )

    const schema = await readCmsSchema(db, { dbSchema: far })
    const read = await readCmsFlows(db, { dbSchema: far })
    expect(read.report).toEqual([])
    const engine = createEngine({ db, schema, ...schema.options, flows: {} })
    const flows = createFlows(engine, { ...ofHost, flows: read.flows })
    await flows.install()
    expect(await createItem(engine, 'tags', { name: 'tea' }, { fields: ['name'] })).toEqual({
      name: 'tea!',
    })
    await flows.stop()
  })

  it('reads tables of an older version, which have fewer columns', async () => {
    const read = await flowsOf(database, async (db) => {
      await addFlow(db, 'it', { trigger: 'operation', options: { return: '$last' } })
      await sql`alter table directus_flows drop column accountability`.execute(db)
      await sql`alter table directus_flows drop column description`.execute(db)
      await sql`alter table directus_operations drop column name`.execute(db)
    })
    expect(read.flows.map(({ name }) => name)).toEqual([idOf('it')])
  })

  it('says of a database without these tables that it is none of the service', () =>
    inDatabase(database, async ({ db, schema }) => {
      await sql`drop table directus_operations`.execute(db)
      await expect(readCmsFlows(db, { schema })).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        message: 'There is no table "directus_operations", which the service has had since its version 11.',
      })
      for (const bad of [{ secrets: { KEY: 'short' } }, { hosts: ['https://example.com/path'] }])
        await expect(readCmsFlows(db, { schema, ...bad })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
      await expect(readCmsFlows(db, { schema, hots: [] } as never)).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        hint: 'Did you mean "hosts"?',
      })
    }))
})
