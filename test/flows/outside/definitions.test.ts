// Definitions of flows that start from outside: what is refused, where, and in which words.
import { Cron } from 'croner'
import { describe, expect, it } from 'vitest'
import { Problems } from '../../../src/errors/problems.ts'
import { checkFlow } from '../../../src/flows/check/check-flow.ts'
import { createFlows, defineFlow } from '../../../src/flows.ts'
import { createEngine, defineSchema } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { rowsOf } from '../../support/titled.ts'
import { contextOf, flowOf, problemsIn } from './checking.ts'

const compiled = (definition: unknown) => {
  const problems = new Problems('INVALID_OPTIONS')
  const flow = checkFlow(definition, [], contextOf(), problems)
  problems.throwIfAny()
  return flow
}
const signed = { on: 'webhook', allow: 'signed', hmac: { scheme: 'github', secret: ['OLD'] } }
const open = { on: 'webhook', allow: 'public' }
const manual = { on: 'manual', allow: 'authenticated' }
const daily = { on: 'schedule', cron: '0 6 * * *' }

describe('a trigger from outside', () => {
  it.each([
    ['a schedule', daily],
    [
      'a schedule of seconds',
      { ...daily, cron: '*/10 * * * * *', timeZone: 'Europe/Berlin', overlap: 'allow', missed: 'none' },
    ],
    ['a schedule by a word', { ...daily, cron: '@daily' }],
    ['February 29', { ...daily, cron: '0 0 29 2 *' }],
    ['a signed webhook', signed],
    ['two secrets', { ...signed, hmac: { scheme: 'github', secret: ['NEW', 'OLD'] } }],
    ['a public webhook', { ...open, method: 'GET', headers: ['X-Kind'], waitMs: 0, returns: 'o' }],
    ['callers', { on: 'webhook', allow: 'authenticated', waitMs: 60_000 }],
    ['a filter on the caller', { on: 'webhook', allow: { role: { _eq: 'editor' } } }],
    ['whoever has a user', { on: 'webhook', allow: { user: { _nnull: true } } }],
    [
      'several parts',
      { on: 'manual', allow: { _or: [{ admin: true }, { roles: { _some: { _eq: 'editor' } } }] } },
    ],
    ['a manual start', { ...manual, collections: ['articles'], needsSelection: false, returns: '$all' }],
  ])('%s is taken', (_, trigger) => {
    expect(problemsIn(flowOf(trigger))).toEqual([])
  })

  it('has defaults', () => {
    expect(compiled(flowOf(daily))?.trigger).toMatchObject({
      timeZone: 'UTC',
      overlap: 'skip',
      missed: 'last',
    })
    expect(compiled(flowOf({ ...open, headers: ['X-Kind', 'x-kind'] }))?.trigger).toEqual({
      on: 'webhook',
      allow: 'public',
      method: 'POST',
      waitMs: 10_000,
      hmac: undefined,
      headers: ['x-kind'],
    })
    expect(compiled(flowOf(manual))?.trigger).toEqual({
      on: 'manual',
      allow: 'authenticated',
      collections: undefined,
      needsSelection: true,
      waitMs: 10_000,
    })
    expect(compiled(flowOf(open))?.returns).toBe('$last')
  })

  const signing = '"signed", "public", '
  const whoMayStart = (given: string, more = '') =>
    `"allow" says who may start the flow: ${more}"authenticated" or a filter on the caller, and not ${given}.`
  const ofEditors = 'Of editors: { "role": { "_eq": "editor" } }.'
  const notOfCaller = (name: string) =>
    `A filter on the caller looks at "user", "role", "roles", "admin", and not at "${name}".`
  const onlyPublic =
    'Only a flow that is "public" is started by GET: a signature covers the body, and any page can make a browser follow a link.'
  const listOfSecrets = '"secret" is a list of one to 10 names of secrets.'
  const unseen = (name: string) => `No flow sees the header "${name}": it holds credentials.`
  const noWait = (given: string) =>
    `"waitMs" is a whole number of milliseconds from 0 to 60,000, not ${given}.`
  const noCron = (given: string) =>
    `"cron" has five fields, or six with the second in front, and not ${given}.`
  const eachDay = 'Each day at six: "0 6 * * *".'
  it.each<[string, object, string, ...string[]]>(
    rowsOf({
      'no "allow"': [{ on: 'webhook' }, 'allow', whoMayStart('undefined', signing), ofEditors],
      'an unknown "allow"': [
        { on: 'webhook', allow: 'pubic' },
        'allow',
        whoMayStart('"pubic"', signing),
        'Did you mean "public"?',
      ],
      'a manual start of anybody': [
        { on: 'manual', allow: 'public' },
        'allow',
        whoMayStart('"public"'),
        ofEditors,
      ],
      'an empty filter': [
        { on: 'webhook', allow: {} },
        'allow',
        'A condition is a filter that says something.',
      ],
      'a filter on something else': [
        { on: 'webhook', allow: { rloe: 'x' } },
        'allow.rloe',
        notOfCaller('rloe'),
        'Did you mean "role"?',
      ],
      'a filter that lets in all': [
        { on: 'webhook', allow: { _nnull: true } },
        'allow._nnull',
        notOfCaller('_nnull'),
      ],
      'a filter of nothing': [{ on: 'webhook', allow: { _and: [] } }, 'allow._and', notOfCaller('_and')],
      'an unknown operator': [
        { on: 'webhook', allow: { role: { _eqq: 1 } } },
        'allow.role._eqq',
        'There is no operator "_eqq" here.',
      ],
      'a variable': [
        { on: 'webhook', allow: { user: { _eq: '$CURRENT_USER' } } },
        'allow',
        'A filter on the caller has values alone, and no variables.',
      ],
      'GET of what is signed': [{ ...signed, method: 'GET' }, 'method', onlyPublic],
      'GET of callers': [{ on: 'webhook', allow: 'authenticated', method: 'GET' }, 'method', onlyPublic],
      'another method': [{ ...open, method: 'PUT' }, 'method', '"method" is "POST" or "GET", not "PUT".'],
      'no signature': [
        { on: 'webhook', allow: 'signed' },
        'hmac',
        '"hmac" says how requests are signed: { "scheme", "secret" }.',
      ],
      'a signature of what is public': [
        { ...open, hmac: signed.hmac },
        'hmac',
        'Nothing is signed here: "hmac" belongs to "allow": "signed".',
      ],
      'a signature that is a text': [
        { ...signed, hmac: 'github' },
        'hmac',
        '"hmac" is { "scheme", "secret" }, not "github".',
      ],
      'an unknown scheme': [
        { ...signed, hmac: { scheme: 'gitub', secret: ['OLD'] } },
        'hmac.scheme',
        'There is no scheme "gitub".',
        'Did you mean "github"?',
      ],
      'a scheme of the prototype': [
        { ...signed, hmac: { scheme: 'constructor', secret: ['OLD'] } },
        'hmac.scheme',
        'There is no scheme "constructor".',
        'Known: standard, github, stripe.',
      ],
      'an unknown secret': [
        { ...signed, hmac: { scheme: 'github', secret: ['OLDD'] } },
        'hmac.secret.0',
        'There is no secret "OLDD".',
        'Did you mean "OLD"?',
      ],
      'the text of a secret': [
        { ...signed, hmac: { scheme: 'github', secret: ['an old secret of some length'] } },
        'hmac.secret.0',
        'The text of a secret stands in the definition.',
        'Write its name.',
      ],
      'no list of secrets': [
        { ...signed, hmac: { scheme: 'github', secret: 'OLD' } },
        'hmac.secret',
        listOfSecrets,
      ],
      'no secret': [{ ...signed, hmac: { scheme: 'github', secret: [] } }, 'hmac.secret', listOfSecrets],
      'a secret of another scheme': [
        { ...signed, hmac: { scheme: 'standard', secret: ['NEW', 'OLD'] } },
        'hmac.secret.1',
        'The secret "OLD" is none of "standard".',
        'It is the base64 of 24 bytes or more, after "whsec_".',
      ],
      'the header Authorization': [
        { ...open, headers: ['Authorization'] },
        'headers.0',
        unseen('authorization'),
      ],
      'the header Cookie': [{ ...open, headers: ['cookie'] }, 'headers.0', unseen('cookie')],
      'what is no header': [{ ...open, headers: ['a b'] }, 'headers.0', '"a b" is no name of a header.'],
      'headers that are a text': [
        { ...open, headers: 'x' },
        'headers',
        '"headers" is a list of 50 names at most, not "x".',
      ],
      'a negative wait': [{ ...open, waitMs: -1 }, 'waitMs', noWait('-1')],
      'too long a wait': [{ ...open, waitMs: 60_001 }, 'waitMs', noWait('60001')],
      'an unknown member': [
        { ...open, waitms: 1 },
        'waitms',
        'This trigger has no "waitms".',
        'Did you mean "waitMs"?',
      ],
      'an unknown place of the answer': [
        { ...open, returns: 'prices.x' },
        'returns',
        'There is no operation "prices".',
      ],
      'an unknown collection': [
        { ...manual, collections: ['artikels'] },
        'collections.0',
        'There is no collection "artikels".',
        'Did you mean "articles"?',
      ],
      'a selection that is a text': [
        { ...manual, needsSelection: 'yes' },
        'needsSelection',
        '"needsSelection" is true or false, not "yes".',
      ],
      'two triggers': [
        { on: ['webhook', 'items.create'], allow: 'public' },
        'on',
        'The trigger "webhook" stands alone.',
      ],
      'no cron': [{ on: 'schedule' }, 'cron', noCron('undefined'), eachDay],
      'what is no cron': [{ on: 'schedule', cron: 'nope' }, 'cron', noCron('"nope"'), eachDay],
      'a moment': [
        { on: 'schedule', cron: '2026-05-01T00:00:00' },
        'cron',
        noCron('"2026-05-01T00:00:00"'),
        eachDay,
      ],
      'a year': [{ on: 'schedule', cron: '0 0 0 1 1 * 2030' }, 'cron', noCron('"0 0 0 1 1 * 2030"'), eachDay],
      'minute 61': [
        { on: 'schedule', cron: '61 * * * *' },
        'cron',
        'The schedule "61 * * * *" cannot be read: Invalid value for minute: 61.',
      ],
      'February 30': [
        { on: 'schedule', cron: '0 0 30 2 *' },
        'cron',
        'The schedule "0 0 30 2 *" never comes.',
      ],
      'an unknown time zone': [
        { ...daily, timeZone: 'Mars/Olympus' },
        'timeZone',
        'There is no time zone "Mars/Olympus".',
        'Take a name such as "Europe/Berlin", or "UTC".',
      ],
      'another overlap': [
        { ...daily, overlap: 'queue' },
        'overlap',
        '"overlap" is "skip" or "allow", not "queue".',
      ],
      'another way with what was missed': [
        { ...daily, missed: 'all' },
        'missed',
        '"missed" is "last" or "none", not "all".',
      ],
      'a schedule that returns': [
        { ...daily, returns: '$last' },
        'returns',
        'This trigger has no "returns".',
      ],
    }),
  )('%s is refused', (_, trigger, at, ...says) => {
    expect(problemsIn(flowOf(trigger))).toEqual([[`trigger.${at}`, ...says]])
  })
})

describe('the rights of what starts from outside', () => {
  const unwritten =
    'This flow may be started without a known caller, so it needs "access", which says with whose rights it works.'
  const none = 'This flow is started without a caller, so it cannot have the rights of one.'

  it.each([
    ['signed', signed],
    ['public', open],
    ['on schedule', daily],
  ])('are written: %s', (_, trigger) => {
    expect(problemsIn(flowOf(trigger, { access: undefined }))).toEqual([
      ['access', unwritten, 'Without any: "nobody".'],
    ])
    expect(problemsIn(flowOf(trigger, { access: 'full' }))).toEqual([])
  })

  it.each([
    ['signed', signed],
    ['on schedule', daily],
  ])('are those of no caller: %s', (_, trigger) => {
    expect(problemsIn(flowOf(trigger, { access: 'caller' }))).toEqual([
      ['access', none, 'Without any rights: "nobody".'],
    ])
    const operations = { o: { type: 'log', options: { message: 'x' }, access: 'caller' } }
    expect(problemsIn(flowOf(trigger, { operations }))).toEqual([
      ['operations.o.access', none, 'Without any rights: "nobody".'],
    ])
  })

  it('may be those of a caller who may be nobody', () => {
    expect(compiled(flowOf(open, { access: 'caller' }))?.needsCaller).toBe(true)
    expect(compiled(flowOf(open))?.needsCaller).toBe(false)
    const each = {
      type: 'for-each',
      options: {
        list: [1],
        first: 'p',
        operations: { p: { type: 'log', options: { message: 'x' }, access: 'caller' } },
      },
    }
    expect(compiled(flowOf(open, { operations: { o: each } }))?.needsCaller).toBe(true)
  })

  it('have to be known when the caller has gone', () => {
    const says = [
      'access',
      'A run may last longer than the request of its caller, whose rights are not known then.',
      'Give createFlows "access", which is asked for "caller" with the user and the role.',
    ]
    for (const trigger of [open, manual, { on: 'webhook', allow: 'authenticated' }]) {
      expect(problemsIn(flowOf(trigger, { access: 'caller' }), { hasAccess: false })).toEqual([says])
      expect(problemsIn(flowOf(trigger, { access: 'full' }), { hasAccess: false })).toEqual([])
    }
    const operations = { o: { type: 'log', options: { message: 'x' }, access: 'caller' } }
    expect(problemsIn(flowOf(manual, { operations }), { hasAccess: false })).toEqual([says])
  })

  it('are those of the caller who is known, by default', () => {
    expect(compiled(flowOf(manual, { access: undefined }))?.access).toBe('caller')
    expect(compiled(flowOf({ on: 'webhook', allow: 'authenticated' }, { access: undefined }))?.access).toBe(
      'caller',
    )
  })
})

describe('rows of users that start from outside', () => {
  const limits = { access: ['author'], collections: ['articles'], operations: ['log'] }

  it('name their collections, or have all of them', () => {
    const problems = new Problems('INVALID_OPTIONS')
    const flow = checkFlow(flowOf(manual, { access: 'author' }), [], contextOf({ limits }), problems)
    expect(problems.all).toEqual([])
    expect(flow?.trigger).toMatchObject({ collections: ['articles'] })
    expect(
      problemsIn(flowOf({ ...manual, collections: ['notes'] }, { access: 'author' }), { limits }),
    ).toEqual([['trigger.collections.0', 'Flows of this collection cannot be triggered by "notes".']])
  })
})

describe('what is not known', () => {
  it('is not checked: cron, secrets and schemes by a definition alone', () => {
    const unknown = { schemes: undefined, secrets: undefined, cron: undefined, collections: undefined }
    const hmac = { scheme: 'mine', secret: ['X'] }
    expect(problemsIn(flowOf({ ...signed, hmac }), unknown)).toEqual([])
    expect(problemsIn(flowOf({ ...daily, cron: '0 0 30 2 *' }), unknown)).toEqual([])
  })

  it('is refused where cron would be needed', () => {
    expect(problemsIn(flowOf(daily), { cron: null })).toEqual([
      [
        'trigger.cron',
        'A schedule needs the package "croner", and createFlows does not have it.',
        'Install it, and pass its class: createFlows(engine, { cron: Cron }).',
      ],
    ])
  })

  it('is refused as long as no runs are kept', async () => {
    const { db } = await openSqlite()
    const engine = createEngine({
      db,
      schema: defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } }),
    })
    const definition = flowOf(daily) as never
    const says = 'The runs of such a flow are kept, and this engine has no tables for them.'
    expect(defineFlow(definition)).toBe(definition)
    expect(() => createFlows(engine, { flows: [definition], cron: Cron })).toThrow(says)
    expect(() => createFlows(engine, { flows: [], cron: 'croner' as never })).toThrow(
      '"cron" is a function, not "croner".',
    )
    expect(() => createFlows(engine, { flows: [], schemes: { mine: {} as never } })).toThrow(
      'A scheme of signatures has a function "verify".',
    )
  })
})
