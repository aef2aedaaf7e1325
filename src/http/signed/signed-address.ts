// Signed addresses: each opens one path for a while without a token, with the rights of the caller who has signed it.

import { type Engine, internalsOf } from '../../engine/engine.ts'
import { plainFault } from '../../errors/code-texts.ts'
import { fault, quote } from '../../errors/errors.ts'
import type { Schema } from '../../schema/model.ts'
import { createHmac, timingSafeEqual } from '../../values/from-node.ts'
import { refuseClimbing, segmentsOf, splitUrl } from '../addresses.ts'
import { json, type Reply, type RequestWithHead, type RouteFunction } from '../messages.ts'
import { readObject } from '../request-input.ts'
import type { SignedOptions } from './signed-options.ts'

export const mostSeconds = 300
const longestId = 500

/** The parts of which a signature is made, beside the key. */
interface SignedAddress {
  /** Path below the prefix, each segment encoded in one way. */
  readonly path: string
  /** Query string as it stands in the address, without the signature. */
  readonly query: string
  readonly id: string
  /** Seconds since 1970. */
  readonly end: number
}

export interface SigningPlace<S extends Schema = Schema> {
  readonly options: SignedOptions<S>
  readonly prefix: readonly string[]
}

/** Returns the function that signs an address of its caller. `isSignable`: true for a path that REST answers to GET. */
export const signing =
  (
    place: SigningPlace,
    isSignable: (segments: readonly string[]) => boolean,
    request: () => Request,
  ): RouteFunction =>
  async (engine, incoming) => {
    const { path, seconds = 60, ...others } = await readObject(incoming)
    const [other] = Object.keys(others)
    if (other !== undefined || typeof path !== 'string')
      throw fault('INVALID_PAYLOAD', 'To sign an address, send { path, seconds? }.', {
        path: [other ?? 'path'],
      })
    if (!Number.isInteger(seconds) || Number(seconds) < 1 || Number(seconds) > mostSeconds)
      throw fault(
        'INVALID_PAYLOAD',
        `"seconds" is a whole number from 1 to ${mostSeconds}, not ${quote(seconds)}.`,
        {
          path: ['seconds'],
        },
      )
    const { segments, query } = signable(path)
    if (!segments || !isSignable(segments))
      throw fault('INVALID_PAYLOAD', `${quote(path)} is no path of this API that can be signed.`, {
        path: ['path'],
      })
    const { scope, clock } = internalsOf(engine)
    const id: unknown = await place.options.idOf(scope?.access ?? {}, request())
    if (typeof id !== 'string' || id === '' || id.length > longestId)
      throw fault('FORBIDDEN', 'Addresses of this caller cannot be signed.')
    const end = Math.floor(clock().getTime() / 1_000) + Number(seconds)
    const address = { path: pathOf(segments), query, id, end }
    const [key = ''] = place.options.keys
    const signature = [end, Buffer.from(id).toString('base64url'), signatureOf(address, key, place)].join('.')
    const data = {
      path: `${address.path}?${query === '' ? '' : `${query}&`}signed=${signature}`,
      expires: new Date(end * 1_000).toISOString(),
    }
    return json(JSON.stringify({ data }), 200, { 'cache-control': 'no-store' })
  }

/** Reads an address below the prefix, in the form in which a client sends it. */
function signable(path: string): {
  readonly segments: readonly string[] | undefined
  readonly query: string
} {
  const isPath = /^\/(?!\/)[^\\#\s]*$/.test(path) && URL.canParse(path, base)
  if (!isPath) return { segments: undefined, query: '' }
  refuseClimbing(path)
  const { href } = new URL(path, base)
  const query = splitUrl(href).search.slice(1)
  if (new URLSearchParams(query).has('signed')) return { segments: undefined, query }
  return { segments: segmentsOf(href, []), query }
}

const base = 'http://localhost'

/** Returns the path of segments. An empty one at the end, such as an empty key, needs a slash behind it. */
const pathOf = (segments: readonly string[]): string =>
  `/${segments.map(encodeURIComponent).join('/')}${segments.length > 1 && segments.at(-1) === '' ? '/' : ''}`

const signatureOf = (
  { path, query, id, end }: SignedAddress,
  key: string,
  { prefix }: Pick<SigningPlace, 'prefix'>,
): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['quernel signed address', prefix, path, query, id, end]))
    .digest('base64url')

/** A request by a signed address, as it is without the signature, and the caller who has signed it. */
interface SignedRead {
  readonly received: RequestWithHead
  readonly caller: Engine | null
}

/** Reads a signed address; undefined for any other. One that is not valid is refused. */
export async function signedRequest<S extends Schema>(
  received: RequestWithHead,
  segments: readonly string[],
  engine: Engine<S>,
  place: SigningPlace<S>,
): Promise<SignedRead | undefined> {
  const { head, request } = received
  if (head.method !== 'GET' && head.method !== 'HEAD') return undefined
  const { path, search } = splitUrl(head.url)
  const [, query = '', end, encoded = '', signature = ''] = signedQuery.exec(search) ?? []
  if (end === undefined) return undefined
  const address = {
    path: pathOf(segments),
    query,
    id: Buffer.from(encoded, 'base64url').toString(),
    end: Number(end),
  }
  const isSigned = place.options.keys.some((key) => isEqual(signature, signatureOf(address, key, place)))
  if (!isSigned) throw plainFault('INVALID_CREDENTIALS')
  if (address.end * 1_000 <= internalsOf(engine).clock().getTime())
    throw fault('TOKEN_EXPIRED', 'The signed address has expired.')
  const access = await place.options.accessOf(address.id, request())
  const url = head.url.replace(`${path}${search}`, () => `${path}${query === '' ? '' : `?${query}`}`)
  return { received: { ...received, head: { ...head, url } }, caller: access && current(engine.as(access)) }
}

/** Refuses an access that has ended. */
function current(caller: Engine): Engine {
  internalsOf(caller)
  return caller
}

/** The signature stands last, so that there is one way to write an address. */
const signedQuery = /^\?(?:(.*)&)?signed=(\d{1,12})\.([\w-]{1,2000})\.([\w-]{43})$/

const isEqual = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** Keeps an answer out of caches, and its address out of what pages report to others. */
export const unshared = (reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
})
