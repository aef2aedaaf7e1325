// Signatures of webhooks: bodies as their senders send them, signed here by what the senders' documentation says, and their published examples.
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type SignatureScheme, schemes } from '../../../src/flows.ts'

const now = Date.parse('2026-11-27T12:00:00Z')
const seconds = now / 1_000

/** Asks a scheme for a request. */
const verified = (
  scheme: SignatureScheme,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
  secrets: readonly string[],
  at = now,
) => scheme.verify(Buffer.from(body), (name) => headers[name], secrets, at)

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8')

describe('the standard scheme', () => {
  const { standard } = schemes
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const other = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
  const body =
    '{"type":"invoice.paid","timestamp":"2026-11-27T11:59:58Z","data":{"id":"in_1","total":"12.50"}}'
  const id = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'

  /** Signs as the specification has it: base64 of HMAC-SHA256 of "id.timestamp.payload" under the bytes that the secret is the base64 of. */
  const signed = ({ key = secret, time = seconds, of = body, name = id } = {}) => ({
    'webhook-id': name,
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${hmac(Buffer.from(key.slice('whsec_'.length), 'base64'), `${name}.${time}.${of}`).digest('base64')}`,
  })

  it('takes what its own library has published', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const published = ['{"test": 2432232314}', [secret], 1_614_265_330_000] as const
    expect(await verified(standard, headers, ...published)).toEqual({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek' })
    const bare = [secret.slice('whsec_'.length)]
    expect(await verified(standard, headers, published[0], bare, published[2])).toBeDefined()
  })

  it('takes one of several secrets, and one of several signatures', async () => {
    expect(await verified(standard, signed(), body, [secret])).toEqual({ id })
    expect(await verified(standard, signed(), body, [other, secret])).toEqual({ id })
    const [old, fresh] = [signed({ key: other }), signed()].map((one) => one['webhook-signature'])
    const both = { ...signed(), 'webhook-signature': `v1a,AAAA ${old} ${fresh}` }
    expect(await verified(standard, both, body, [secret])).toEqual({ id })
  })

  it('takes five minutes before and after, and not a millisecond more', async () => {
    const headers = signed()
    for (const off of [-300_000, 300_000])
      expect(await verified(standard, headers, body, [secret], now + off)).toEqual({ id })
    for (const off of [-300_001, 300_001])
      expect(await verified(standard, headers, body, [secret], now + off)).toBeUndefined()
  })

  it.each([
    ['another body', signed(), `${body} `, [secret]],
    ['another secret', signed({ key: other }), body, [secret]],
    ['another id', { ...signed(), 'webhook-id': 'msg_2' }, body, [secret]],
    ['another time', { ...signed(), 'webhook-timestamp': String(seconds + 1) }, body, [secret]],
    ['no signature', { ...signed(), 'webhook-signature': '' }, body, [secret]],
    [
      'a signature of another version',
      { ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1', 'v2') },
      body,
      [secret],
    ],
    [
      'half a signature',
      { ...signed(), 'webhook-signature': signed()['webhook-signature'].slice(0, 20) },
      body,
      [secret],
    ],
    ['a time that is none', { ...signed(), 'webhook-timestamp': '1e9' }, body, [secret]],
    // The same text to sign: the id ends where the time of another request begins.
    [
      'an id with a full stop',
      { ...signed({ name: `a.${seconds}`, of: `${seconds}.x` }), 'webhook-id': `a.${seconds}` },
      `${seconds}.x`,
      [secret],
    ],
    ['no headers', {}, body, [secret]],
  ])('refuses %s', async (_, headers, sent, secrets) => {
    expect(await verified(standard, headers, sent, secrets)).toBeUndefined()
  })

  it('says which secrets are none of it', () => {
    expect(standard.secretProblem?.(secret)).toBeUndefined()
    for (const bad of ['short', 'whsec_', 'whsec_AAAA', 'an old secret of some length'])
      expect(standard.secretProblem?.(bad)).toBe('It is the base64 of 24 bytes or more, after "whsec_".')
  })
})

describe('the scheme of GitHub', () => {
  const { github } = schemes
  const secret = "It's a Secret to Everybody"
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    after: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
    repository: { id: 1, full_name: 'octocat/Hello-World' },
    pusher: { name: 'Zoë' },
  })
  const delivery = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
  /** Signs as the documentation has it: "sha256=" and the hex of HMAC-SHA256 of the body under the secret. */
  const signed = (key = secret, of = body) => ({
    'x-github-event': 'push',
    'x-github-delivery': delivery,
    'x-hub-signature-256': `sha256=${hmac(key, of).digest('hex')}`,
  })

  it('takes the example of the documentation', async () => {
    const headers = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }
    expect(await verified(github, headers, 'Hello, World!', [secret])).toEqual({ id: undefined })
    expect(await verified(github, headers, 'Hello, World.', [secret])).toBeUndefined()
  })

  it('takes a push, whenever it comes', async () => {
    expect(await verified(github, signed(), body, ['another secret', secret])).toEqual({ id: delivery })
    expect(await verified(github, signed(), body, [secret], 0)).toEqual({ id: delivery })
  })

  it.each([
    ['another body', signed(), `${body}\n`],
    ['another secret', signed('another secret'), body],
    ['the old signature', { 'x-hub-signature': signed()['x-hub-signature-256'] }, body],
    ['the hex alone', { 'x-hub-signature-256': signed()['x-hub-signature-256'].slice(7) }, body],
    ['no headers', {}, body],
  ])('refuses %s', async (_, headers, sent) => {
    expect(
      await verified(github, headers as Readonly<Record<string, string>>, sent, [secret]),
    ).toBeUndefined()
  })
})

describe('the scheme of Stripe', () => {
  const { stripe } = schemes
  const secret = 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH'
  const body = `{
  "id": "evt_1MqqbKLt4dXK03v5qaIbiNCC",
  "object": "event",
  "type": "payment_intent.succeeded",
  "data": { "object": { "id": "pi_3Mqqb", "amount": 1250 } }
}`
  /** Signs as the documentation has it: the hex of HMAC-SHA256 of "timestamp.payload" under the whole secret. */
  const signature = (key = secret, time = seconds, of = body) => hmac(key, `${time}.${of}`).digest('hex')
  const header = (text: string) => ({ 'stripe-signature': text })

  it('takes an event', async () => {
    expect(
      await verified(
        stripe,
        header(
          `t=${seconds},v1=${signature()},v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39`,
        ),
        body,
        [secret],
      ),
    ).toEqual({})
    expect(
      await verified(
        stripe,
        header(`t=${seconds}, v1=${signature('whsec_old_old_old')}, v1=${signature()}`),
        body,
        ['whsec_another', secret],
      ),
    ).toEqual({})
  })

  it('takes five minutes before and after, and not a millisecond more', async () => {
    const sent = header(`t=${seconds},v1=${signature()}`)
    for (const off of [-300_000, 300_000])
      expect(await verified(stripe, sent, body, [secret], now + off)).toEqual({})
    for (const off of [-300_001, 300_001])
      expect(await verified(stripe, sent, body, [secret], now + off)).toBeUndefined()
  })

  it.each([
    ['another body', `t=${seconds},v1=${signature()}`, `${body} `],
    ['another secret', `t=${seconds},v1=${signature('whsec_another')}`, body],
    ['a time that was not signed', `t=${seconds + 1},v1=${signature()}`, body],
    ['the old version alone', `t=${seconds},v0=${signature()}`, body],
    ['no time', `v1=${signature()}`, body],
    ['nothing', '', body],
  ])('refuses %s', async (_, text, sent) => {
    expect(await verified(stripe, header(text), sent, [secret])).toBeUndefined()
  })
})

it('takes bytes that are no text', async () => {
  const bytes = Uint8Array.from([0, 255, 254, 10])
  const sent = {
    'x-hub-signature-256': `sha256=${createHmac('sha256', 'a secret').update(bytes).digest('hex')}`,
  }
  expect(await verified(schemes.github, sent, bytes, ['a secret'])).toEqual({ id: undefined })
})
