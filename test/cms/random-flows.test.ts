// Drawn rows of flows, most of which are none: whatever stands there, flows are created of what is read, and of all others somebody is told.

import { Cron } from 'croner'
import * as jose from 'jose'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createFlows, quickScript } from '../../src/flows.ts'
import { createEngine } from '../../src/index.ts'
import { readCmsFlows, readCmsSchema } from '../../src/introspect.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { insert } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { cmsDatabases } from './databases.ts'

const rounds = drawsOf('flows of an installed base')

const oddTexts = [
  '',
  ' ',
  '$last',
  '$all',
  '$env',
  '__proto__',
  'constructor',
  'toString',
  'tags',
  'gone',
  'GET',
  'POST',
  'items.create',
  'items.read',
  'auth.login',
  '{{ $trigger }}',
  '{{ $env.KEY }}',
  '{{ $env.__proto__ }}',
  '{{ a.b[0] }}',
  '{{ a.__proto__.b }}',
  '{{ broken',
  '{"a":"{{ $trigger.n }}"}',
  '{"_and":[{"a":{"_eq":1}}]}',
  '[1,2]',
  '* * * * *',
  '61 * * * *',
  '* * * * * * * *',
  '@reboot',
  'http://{{ $trigger.host }}/',
  'https://example.com/{{ $trigger.path }}',
  'module.exports = () => $env',
  'a secret of some length',
  '$full',
  '$public',
  'full',
  'caller',
  'author',
  '00000000-0000-4000-8000-00000000a001',
  '\u0000\ud800',
  'x'.repeat(300),
  '[[[[[[[[[[[[[[[[[[[[[[[[',
  'null',
] as const

const optionNames = [
  'type',
  'scope',
  'collections',
  'return',
  'method',
  'async',
  'error_on_reject',
  'requireSelection',
  'cron',
  'filter',
  'collection',
  'key',
  'keys',
  'query',
  'payload',
  'permissions',
  'emitEvents',
  'url',
  'headers',
  'body',
  'json',
  'message',
  'milliseconds',
  'code',
  'status',
  'to',
  'subject',
  'recipient',
  'template',
  'operation',
  'token',
  'secret',
  'options',
  'flow',
  'iterationMode',
  'list',
  'operations',
  'first',
  'access',
  'resolve',
  '__proto__',
  'unknown',
] as const

const types = [
  'condition',
  'item-create',
  'item-read',
  'item-update',
  'item-delete',
  'transform',
  'trigger',
  'throw-error',
  'log',
  'sleep',
  'request',
  'mail',
  'notification',
  'json-web-token',
  'exec',
  'script',
  'send',
  'for-each',
  '__proto__',
  'constructor',
  'extension',
] as const

const ids = Array.from({ length: 6 }, (_, at) => `00000000-0000-4000-8000-00000000000${at}`)

function value(random: Random, depth = 0): unknown {
  return random.do<unknown>(
    () => random.one(oddTexts),
    () => random.one([null, true, false, 0, -1, 1.5, 1e300]),
    () => random.one(ids),
    () => (depth < 3 ? random.many(0, 3, () => value(random, depth + 1)) : []),
    () =>
      depth < 3
        ? Object.fromEntries(random.many(0, 3, () => [random.one(optionNames), value(random, depth + 1)]))
        : {},
  )
}

const plausible: Readonly<Record<string, (random: Random) => unknown>> = {
  type: (random) => random.one(['filter', 'action']),
  scope: (random) => random.some(['items.create', 'items.update', 'items.delete', 'items.read', 'x'], 3),
  collections: (random) => random.some(['tags', 'comments', 'gone', 'directus_users'], 2),
  collection: () => 'tags',
  flow: (random) => random.one(ids),
  url: () => 'https://example.com/{{ $trigger.path }}',
  method: (random) => random.one(['GET', 'POST', 'get']),
  operation: (random) => random.one(['sign', 'verify', 'decode']),
  code: () => 'module.exports = (data) => data.$last',
  filter: () => ({ $trigger: { a: { _eq: 1 } } }),
  permissions: (random) => random.one(['$full', '$public', '$trigger', null, ids[0], ['$full'], { a: 1 }]),
  cron: (random) => random.one(['* * * * *', '0 0 30 2 *', 'x']),
  subject: () => 'a subject',
  to: () => 'a@example.com',
  recipient: () => 'somebody',
  payload: () => ({ name: '{{ $trigger.name }}' }),
  secret: (random) => random.one(['k', '{{ $env.KEY }}', 'a secret of some length']),
  key: () => 1,
  query: () => ({ filter: { name: { _eq: '{{ $trigger.name }}' } } }),
}

/** Options without which an operation is none. */
const needed: Readonly<Record<string, readonly string[]>> = {
  condition: ['filter'],
  'item-create': ['collection', 'payload'],
  'item-read': ['collection'],
  'item-update': ['collection', 'payload'],
  'item-delete': ['collection'],
  trigger: ['flow'],
  request: ['url'],
  mail: ['to', 'subject'],
  notification: ['recipient', 'subject'],
  'json-web-token': ['operation'],
  exec: ['code'],
  event: ['type', 'scope', 'collections'],
  manual: ['collections'],
  schedule: ['cron'],
}

function options(random: Random, type: string | null): string | null {
  if (random.chance(0.03)) return random.one([null, '{broken', '"text"', '[]', '1', 'null', '', '{"a":1'])
  const own = type !== null && Object.hasOwn(needed, type) ? (needed[type] ?? []) : []
  const entries = [...own, ...random.some(optionNames, 2)].map((name) => {
    const draw = Object.hasOwn(plausible, name) && random.chance(0.95) ? plausible[name] : undefined
    return [name, draw ? draw(random) : value(random)] as const
  })
  return JSON.stringify(Object.fromEntries(entries))
}

it(`of ${rounds} draws none throws (QUERNEL_SEED=${fuzzSeed})`, { timeout: 600_000 }, async () => {
  const [database] = cmsDatabases
  if (!database) throw new Error('no database')
  const { db, run } = await database.open()
  const schema = await readCmsSchema(db)
  // Rows that no service has stored keep to no relation, and follow each other twice.
  await run('pragma foreign_keys = off')
  for (const table of ['directus_flows', 'directus_operations']) {
    await sql`create table rows_of_${sql.raw(table)} as select * from ${sql.table(table)} where false`.execute(
      db,
    )
    await sql`drop table ${sql.table(table)}`.execute(db)
    await sql`alter table rows_of_${sql.raw(table)} rename to ${sql.table(table)}`.execute(db)
  }
  const engine = createEngine({ db, schema, ...schema.options, flows: {} })
  const host = { cron: Cron, jwt: jose, send: () => null, script: quickScript(), access: () => null }
  let read = 0
  for (let round = 0; round < rounds; round++) {
    const random = new Random(fuzzSeed + round)
    await db.deleteFrom('directus_operations').execute()
    await db.deleteFrom('directus_flows').execute()
    const operations = ids.flatMap((flow, at) =>
      random.many(0, 3, (number) => {
        const type = random.one(types)
        return {
          id: `${flow.slice(0, -4)}${at}${number}aa`,
          key: random.chance(0.05) ? random.one(oddTexts) : `k${number}`,
          type,
          position_x: 1,
          position_y: 1,
          options: options(random, type),
          flow,
        }
      }),
    )
    const some = () => (operations.length > 0 && random.chance(0.2) ? random.one(operations).id : null)
    for (const id of ids) {
      const trigger = random.chance(0.1)
        ? random.one(['x', null])
        : random.one(['event', 'webhook', 'manual', 'schedule', 'operation'])
      await insert(db, 'directus_flows', {
        id,
        name: id,
        status: random.chance(0.1) ? 'inactive' : 'active',
        trigger,
        options: options(random, trigger),
        operation: operations.find(({ flow }) => flow === id && random.chance(0.9))?.id ?? some(),
      })
    }
    const nextOf = ({ id }: { readonly id: string }) =>
      random.chance(0.7) ? operations[operations.findIndex((one) => one.id === id) + 1]?.id : undefined
    for (const operation of operations)
      await insert(db, 'directus_operations', {
        ...operation,
        resolve: nextOf(operation) ?? some(),
        reject: random.chance(0.2) ? some() : null,
      })
    const seed = `QUERNEL_SEED=${fuzzSeed + round}`
    const secrets = { KEY: 'the text of a key' }
    const { flows, report, ...found } = await readCmsFlows(db, { schema, secrets, ...host })
    await createFlows(engine, { ...host, flows, secrets: found.secrets }).stop()
    const left = new Set(
      report.filter(({ message }) => message.startsWith('Left out: ')).map(({ flow }) => flow),
    )
    const names = flows.map(({ name }) => name)
    expect([...names, ...left].toSorted(), seed).toEqual(ids)
    // All rights are those of schedules, and of operations that say so.
    const rights = flows.flatMap(({ access, trigger, operations: steps = {} }) => [
      ...(Object(trigger).on === 'schedule' ? [] : [access]),
      ...Object.values(steps).map((one) => Object(one).access),
    ])
    if (rights.includes('full')) expect(JSON.stringify(operations), seed).toContain('$full')
    read += flows.length

    // Without the parts of the host they are told of, one by one.
    const bare = await readCmsFlows(db, { schema, secrets })
    const needed = new Set(bare.report.flatMap(({ needs }) => needs ?? []))
    const given = Object.fromEntries(
      Object.entries(host).filter(([name]) => [...needed].includes(name as never)),
    )
    await createFlows(engine, { ...given, flows: bare.flows, secrets: bare.secrets }).stop()
  }
  expect(read).toBeGreaterThan(rounds / 4)
})
