// Tokens: what is signed is what others verify, and nothing else is.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import * as jose from 'jose'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createFlows, type FlowDefinition, type Flows, type FlowsOptions } from '../../../src/flows.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { refusalOf } from '../../support/outcome.ts'
import { rowsOf } from '../../support/titled.ts'
import { recorded } from '../recorded-flows.ts'

let engine: Engine
let flows: Flows | undefined
beforeAll(async () => {
  const opened = await openSqlite()
  const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
  engine = createEngine({
    db: opened.db,
    schema,
    clock: () => new Date('2026-01-01T00:00:00Z'),
  }) as unknown as Engine
})
afterEach(() => flows?.stop())

const now = Date.parse('2026-01-01T00:00:00Z') / 1_000
const key = 'a-key-of-some-length'
const secrets = { KEY: key }

const token = (options: object): FlowDefinition =>
  ({
    name: 'token',
    trigger: { on: 'flow' },
    access: 'nobody',
    first: 'made',
    operations: { made: { type: 'json-web-token', options } },
  }) as FlowDefinition // options are tried that are none

async function run(
  options: object,
  more: Partial<FlowsOptions> = {},
  payload: unknown = {},
): Promise<unknown> {
  flows = createFlows(engine, { jwt: jose, secrets, ...more, flows: [token(options)] })
  const end = await flows.run('token', payload, { inline: true })
  expect(JSON.stringify(end)).not.toContain(key)
  return end.state === 'succeeded' ? end.result : [end.error.code, end.error.message]
}

const secret = '{{ $env.KEY }}'
const sign = (payload: unknown, options: object = {}, more: object = {}) =>
  run({ operation: 'sign', payload, secret, options, ...more }) as Promise<string>
const verify = (one: string, options: object = { algorithms: ['HS256'] }, more: object = {}) =>
  run({ operation: 'verify', token: one, secret, options, ...more })

/** A token that is put together by hand. */
function written(header: object, payload: object, by = key): string {
  const encoded = [header, payload]
    .map((one) => Buffer.from(JSON.stringify(one)).toString('base64url'))
    .join('.')
  return `${encoded}.${createHmac('sha256', by).update(encoded).digest('base64url')}`
}

const notValid = ['INVALID_CREDENTIALS', 'The token is not valid.']

describe('a token', () => {
  it('is signed as it was recorded', async () => {
    const { runs } = recorded.find(({ name }) => name === 'json-web-token: sign then verify') ?? { runs: [] }
    const [{ s, v }] = runs as unknown as readonly [{ s: string; v: unknown }]
    const found = await sign('{"a":"{{ $trigger.n }}"}', { noTimestamp: true }, { secret: 'k' }).catch(
      () => '',
    )
    expect(found).not.toBe(s)
    flows = createFlows(engine, {
      jwt: jose,
      flows: [
        token({
          operation: 'sign',
          payload: '{"a":"{{ $trigger.n }}"}',
          secret: 'k',
          options: { noTimestamp: true },
        }),
      ],
    })
    expect(await flows.run('token', { n: 'x' }, { inline: true })).toMatchObject({ result: s })
    expect(await verify(s, { algorithms: ['HS256', 'HS384', 'HS512'] }, { secret: 'k' })).toEqual(v)
  })

  it('has the claims of its payload and of its options', async () => {
    const made = await sign(
      { a: 1 },
      {
        algorithm: 'HS512',
        expiresIn: '15m',
        notBefore: 0,
        audience: ['x', 'y'],
        issuer: 'i',
        subject: 's',
        jwtid: 'j',
        keyid: 'k',
      },
    )
    const { payload, protectedHeader } = await jose.jwtVerify(made, new TextEncoder().encode(key), {
      currentDate: new Date(now * 1_000),
    })
    expect(payload).toEqual({
      a: 1,
      iat: now,
      exp: now + 900,
      nbf: now,
      aud: ['x', 'y'],
      iss: 'i',
      sub: 's',
      jti: 'j',
    })
    expect(protectedHeader).toEqual({ alg: 'HS512', typ: 'JWT', kid: 'k' })
  })

  it.each([
    ['90', 90],
    [90, 90],
    ['90s', 90],
    ['2h', 7_200],
    ['1d', 86_400],
  ])('ends after %j', async (expiresIn, seconds) => {
    expect(jose.decodeJwt(await sign({}, { expiresIn })).exp).toBe(now + seconds)
  })

  it('is verified by what it says', async () => {
    const made = await sign(
      { a: 1 },
      { noTimestamp: true, audience: 'x', issuer: 'i', subject: 's', jwtid: 'j' },
    )
    const said = { algorithms: ['HS256'], audience: 'x', issuer: ['i', 'k'], subject: 's', jwtid: 'j' }
    expect(await verify(made, said)).toEqual({ a: 1, aud: 'x', iss: 'i', sub: 's', jti: 'j' })
    for (const [name, other] of [
      ['audience', 'y'],
      ['issuer', 'y'],
      ['subject', 'y'],
      ['jwtid', 'y'],
    ] as const)
      expect(await verify(made, { ...said, [name]: other }), name).toEqual(notValid)
  })

  it.each(['RS256', 'PS512', 'ES256', 'EdDSA'])('of %s has two keys', async (algorithm) => {
    const keys =
      algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : algorithm === 'EdDSA'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const publicKey = String(keys.publicKey.export({ type: 'spki', format: 'pem' }))
    const privateKey = String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const pair = { secrets: { PRIVATE: privateKey, PUBLIC: publicKey } }
    const made = (await run(
      {
        operation: 'sign',
        payload: { a: 1 },
        secret: '{{ $env.PRIVATE }}',
        options: { algorithm, noTimestamp: true },
      },
      pair,
    )) as string
    const options = { algorithms: [algorithm] }
    expect(
      await run({ operation: 'verify', token: made, secret: '{{ $env.PUBLIC }}', options }, pair),
    ).toEqual({ a: 1 })
    // A key that everybody has signs nothing.
    const forged = written({ alg: 'HS256', typ: 'JWT' }, { a: 2 }, publicKey)
    expect(
      await run({ operation: 'verify', token: forged, secret: '{{ $env.PUBLIC }}', options }, pair),
    ).toEqual(notValid)
    expect(
      await run(
        {
          operation: 'verify',
          token: forged,
          secret: '{{ $env.PUBLIC }}',
          options: { algorithms: '{{ $trigger.algorithms }}' },
        },
        pair,
        { algorithms: [algorithm, 'HS256'] },
      ),
    ).toEqual(['INVALID_PAYLOAD', 'The algorithms of one key are of one kind.'])
    expect(
      await run(
        {
          operation: 'verify',
          token: forged,
          secret: '{{ $env.PUBLIC }}',
          options: { algorithms: ['HS256'] },
        },
        pair,
      ),
    ).toEqual(['INVALID_PAYLOAD', 'This is no key of HS256.'])
    expect(
      await run(
        { operation: 'sign', payload: {}, secret: '{{ $env.PUBLIC }}', options: { algorithm } },
        pair,
      ),
    ).toEqual(['INVALID_PAYLOAD', `This is no key of ${algorithm}.`])
    expect(await sign({}, { algorithm })).toEqual(['INVALID_PAYLOAD', `This is no key of ${algorithm}.`])
  })

  it('is decoded, whoever has signed it', async () => {
    expect(await run({ operation: 'decode', token: written({ alg: 'none' }, { a: 1 }) })).toEqual({ a: 1 })
    for (const bad of ['', 'a', 'a.b.c', '..', 'a..b'])
      expect(await run({ operation: 'decode', token: bad }), bad).toEqual(notValid)
  })
})

describe('a key of RSA', () => {
  const pair = (modulusLength: number) =>
    generateKeyPairSync('rsa', {
      modulusLength,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
  const by = (one: string) => ({ secrets: { KEY: one } })

  it('verifies what is signed by any of the algorithms, and not by the first one alone', async () => {
    const { privateKey, publicKey } = pair(2_048)
    const algorithms = ['RS256', 'RS512', 'PS256']
    for (const algorithm of algorithms) {
      const options = { algorithm, noTimestamp: true }
      const made = await run({ operation: 'sign', payload: { n: 1 }, secret, options }, by(privateKey))
      const verified = { operation: 'verify', token: made, secret, options: { algorithms } }
      expect(await run(verified, by(publicKey))).toEqual({ n: 1 })
      const others = { algorithms: algorithms.filter((one) => one !== algorithm) }
      expect(await run({ ...verified, options: others }, by(publicKey))).toEqual(notValid)
    }
  })

  it('that is too short is a mistake of the key, and none of a token', async () => {
    const { privateKey, publicKey } = pair(1_024)
    const tooShort = ['INVALID_PAYLOAD', 'A key of RS256 has 2,048 bits or more.']
    const signed = { operation: 'sign', payload: {}, secret, options: { algorithm: 'RS256' } }
    expect(await run(signed, by(privateKey))).toEqual(tooShort)
    const token = written({ alg: 'RS256' }, {})
    const verified = { operation: 'verify', token, secret, options: { algorithms: ['RS256'] } }
    expect(await run(verified, by(publicKey))).toEqual(tooShort)
  })
})

describe('a token is refused', () => {
  it.each([
    ['of another algorithm', written({ alg: 'HS384', typ: 'JWT' }, {})],
    [
      'of none',
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`,
    ],
    ['of none in other letters', written({ alg: 'nOnE' }, {})],
    ['without an algorithm', written({ typ: 'JWT' }, {})],
    ['of another key', written({ alg: 'HS256' }, {}, 'another-key')],
    ['of two dots', '..'],
    ['of one dot', 'a.b'],
    ['of nothing', ''],
    ['of no JSON', 'YQ.YQ.YQ'],
    ['that is not valid yet', written({ alg: 'HS256' }, { nbf: now + 60 })],
    ['with a claim that is none', written({ alg: 'HS256' }, { exp: 'never' })],
    ['with an extension that is critical', written({ alg: 'HS256', crit: ['x'], x: 1 }, {})],
  ])('%s', async (_, bad) => expect(await verify(bad)).toEqual(notValid))

  it('that has expired, apart from others', async () => {
    const expired = written({ alg: 'HS256' }, { exp: now - 10 })
    expect(await verify(expired)).toEqual(['TOKEN_EXPIRED', 'The token has expired.'])
    expect(await verify(expired, { algorithms: ['HS256'], clockTolerance: '1m' })).toEqual({ exp: now - 10 })
    expect(await verify(written({ alg: 'HS256' }, { exp: now - 10 }, 'another-key'))).toEqual(notValid)
  })

  it('that is older than it may be', async () => {
    const options = { algorithms: ['HS256'], maxAge: '1h' }
    expect(await verify(written({ alg: 'HS256' }, { iat: now - 7_200 }), options)).toEqual([
      'TOKEN_EXPIRED',
      'The token has expired.',
    ])
    expect(await verify(written({ alg: 'HS256' }, {}), options)).toEqual(notValid)
  })

  it.each(
    rowsOf({
      'no algorithms': [
        { operation: '{{ $trigger.verify }}', token: 'a.b.c', secret },
        'To verify a token takes the algorithms that it may be signed by.',
      ],
      'no algorithms in options that a value brings': [
        { operation: 'verify', token: 'a.b.c', secret, options: '{{ $trigger.options }}' },
        'To verify a token takes the algorithms that it may be signed by.',
      ],
      'algorithms of two kinds that a value brings': [
        { operation: 'verify', token: 'a.b.c', secret, options: { algorithms: '{{ $trigger.algorithms }}' } },
        'The algorithms of one key are of one kind.',
      ],
      'no key': [
        { operation: '{{ $trigger.verify }}', token: 'a.b.c', options: { algorithms: ['HS256'] } },
        'To verify a token takes a key.',
      ],
      'no key to sign': [{ operation: '{{ $trigger.sign }}', payload: {} }, 'To sign a token takes a key.'],
      'a list': [
        { operation: 'sign', payload: [], secret },
        'The payload of a token is an object, or the text of one.',
      ],
      'a text': [
        { operation: 'sign', payload: 'text', secret },
        'The payload of a token is an object, or the text of one.',
      ],
      nothing: [{ operation: 'sign', secret }, 'The payload of a token is an object, or the text of one.'],
      'a claim twice': [
        { operation: 'sign', payload: { exp: 1 }, secret, options: { expiresIn: 1 } },
        '"exp" stands in the payload and in the options.',
      ],
    }),
  )('by its options: %s', async (_, options, message) => {
    const payload = { verify: 'verify', sign: 'sign', options: {}, algorithms: ['HS256', 'RS256'] }
    expect(await run(options, {}, payload)).toEqual(['INVALID_PAYLOAD', message])
  })

  it.each([
    ['operation', { operation: 'nope' }],
    ['options', { operation: 'verify', secret, options: { algorithms: ['none'] } }],
    ['options', { operation: 'verify', secret, options: { algorithms: [] } }],
    ['options', { operation: 'sign', secret, options: { algorithm: 'none' } }],
    ['options', { operation: 'sign', secret, options: { expiresIn: 'soon' } }],
    ['options', { operation: 'sign', secret, options: { expirs: 1 } }],
    ['options.algorithms', { operation: 'verify', secret }],
    ['options.algorithms', { operation: 'verify', secret, options: { issuer: '{{ $trigger.issuer }}' } }],
    ['options.algorithms', { operation: 'verify', secret, options: { algorithms: ['HS256', 'RS256'] } }],
    ['secret', { operation: 'verify', options: { algorithms: ['HS256'] } }],
    ['secret', { operation: 'sign', payload: {} }],
  ])('when it is defined: %s of %j', (place, options) => {
    const define = () => createFlows(engine, { jwt: jose, secrets, flows: [token({ ...options })] })
    expect(refusalOf(define)).toMatchObject({ code: 'INVALID_OPTIONS' })
    expect(refusalOf(define).path?.slice(5).join('.')).toMatch(new RegExp(`^${place}`))
  })
})
