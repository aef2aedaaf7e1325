// Schemes of signatures: rows of a table, to which hosts add theirs.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request whose signature fits. */
export interface SignedRequest {
  /** The sender's name of it, if the scheme has one: sent again, it starts nothing. */
  readonly id?: string | undefined
}

/** A scheme of signatures. */
export interface SignatureScheme {
  readonly doc: string
  /** Says what is wrong with the text of a secret; undefined if it is one of this scheme. */
  readonly secretProblem?: (secret: string) => string | undefined
  /** Compares the signature of a request in constant time; undefined if it is that of none of the secrets, or too old. `header` takes a name in
   *  small letters, and `now` is in milliseconds. */
  verify(
    bytes: Uint8Array,
    header: (name: string) => string | undefined,
    secrets: readonly string[],
    now: number,
  ): SignedRequest | undefined | Promise<SignedRequest | undefined>
}

/** Schemes of signatures by their names. */
export type SignatureSchemes = Readonly<Record<string, SignatureScheme>>

/** How far the time of a signature may lie from now, in milliseconds. */
const tolerance = 5 * 60 * 1_000

const standard: SignatureScheme = {
  doc: 'Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`. What was signed is at most five minutes old, and its id is the key of the request.',
  secretProblem: (secret) =>
    keyOfStandard(secret) ? undefined : 'It is the base64 of 24 bytes or more, after "whsec_".',
  verify: (bytes, header, secrets, now) => {
    const [id = '', time = '', signatures = ''] = ['id', 'timestamp', 'signature'].map((name) =>
      header(`webhook-${name}`),
    )
    // A full stop in the id could be one of those between the parts.
    if (!/^[^.]{1,255}$/.test(id) || !isRecent(time, now)) return undefined
    const sent = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []))
    const isSigned = secrets.some((secret) => {
      const key = keyOfStandard(secret)
      return key && isAmong(signatureOf(key, [`${id}.${time}.`, bytes]).toString('base64'), sent)
    })
    return isSigned ? { id } : undefined
  },
}

const github: SignatureScheme = {
  doc: 'GitHub: `x-hub-signature-256`. It says nothing of when it was signed, and `x-github-delivery`, the key of the request, is not signed: that stops repeats, and no attacker.',
  verify: (bytes, header, secrets) => {
    const sent = header('x-hub-signature-256') ?? ''
    const isSigned = secrets.some((secret) =>
      isAmong(`sha256=${signatureOf(secret, [bytes]).toString('hex')}`, [sent]),
    )
    return isSigned ? { id: header('x-github-delivery') } : undefined
  },
}

const stripe: SignatureScheme = {
  doc: 'Stripe: `stripe-signature`, at most five minutes old.',
  verify: (bytes, header, secrets, now) => {
    const parts = (header('stripe-signature') ?? '').split(',').map((part) => part.trim().split('='))
    const valuesOf = (name: string) => parts.flatMap(([one, value]) => (one === name && value ? [value] : []))
    const [time = ''] = valuesOf('t')
    if (!isRecent(time, now)) return undefined
    const sent = valuesOf('v1')
    const isSigned = secrets.some((secret) =>
      isAmong(signatureOf(secret, [`${time}.`, bytes]).toString('hex'), sent),
    )
    return isSigned ? {} : undefined
  },
}

/** The schemes of signatures. Hosts add theirs: `{ ...schemes, mine }`.
 *  @example Object.keys(schemes) // → ['standard', 'github', 'stripe'] */
export const schemes = { standard, github, stripe } as const satisfies SignatureSchemes

const shortestKey = 24

/** Returns the bytes that a secret of the standard stands for; undefined if it is none. */
function keyOfStandard(secret: string): Buffer | undefined {
  const text = secret.replace(/^whsec_/, '')
  const key = Buffer.from(text, 'base64')
  return /^[A-Za-z\d+/]+={0,2}$/.test(text) && key.length >= shortestKey ? key : undefined
}

function signatureOf(key: string | Buffer, parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/** True if the text of a signature is one of those that were sent. Their length is no secret. */
function isAmong(expected: string, sent: readonly string[]): boolean {
  const wanted = Buffer.from(expected)
  return sent.some((one) => {
    const found = Buffer.from(one)
    return found.length === wanted.length && timingSafeEqual(found, wanted)
  })
}

const isRecent = (seconds: string, now: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * 1_000) <= tolerance
