// The bytes of files.

import type { Engine } from '../engine/engine.ts'
import { fault, isEngineError } from '../errors/errors.ts'
import { contentDisposition } from '../export/content-disposition.ts'
import { noFile } from '../files/file-row.ts'
import { type Asset, findAsset } from '../files/transform-asset.ts'
import { rangeOf, type Span } from './byte-ranges.ts'
import { names } from './conditional.ts'
import { readHttpDate } from './http-date.ts'
import type { Incoming, Outgoing } from './messages.ts'

export async function read(
  engine: Engine,
  incoming: Incoming,
  id: string,
  filename?: string,
): Promise<Outgoing> {
  const { download, ...parameters } = parametersOf(incoming)
  const { signal } = incoming.options
  // Whatever follows the key, such as `.png`, is there for people.
  const asset = await findAsset(engine, id.slice(0, keyLength), parameters, {
    accept: incoming.header('accept'),
    signal,
  })
  const isOffered = download !== undefined || !shown.test(asset.type)
  const headers = {
    ...known(asset, incoming),
    'content-type': asset.type,
    'content-disposition': contentDisposition(
      filename || asset.filename,
      isOffered ? 'attachment' : 'inline',
    ),
    'accept-ranges': 'bytes',
    // Whatever a file says that it is, it runs nothing here, and loads nothing but itself.
    'x-content-type-options': 'nosniff',
    'content-security-policy': isOffered ? nothing : policyFor(asset.type),
  }
  requireUnchanged(asset, incoming)
  if (isKnown(asset, incoming)) return { status: 304, headers: known(asset, incoming) }
  const range = incoming.method === 'GET' ? rangeAsked(asset, incoming) : 'all'
  if (range === 'none') throw fault('RANGE_NOT_SATISFIABLE', undefined, { extensions: { size: asset.size } })
  const part = range === 'all' ? undefined : range
  const length = part ? part.end - part.start + 1 : asset.size
  return {
    status: part ? 206 : 200,
    headers: {
      ...headers,
      'content-length': `${length}`,
      ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${asset.size}` }),
    },
    ...(incoming.method === 'GET' && { body: await opened(asset, part) }),
  }
}

const keyLength = 36

/** Types that a browser shows and does not run. Anything else is offered for saving. */
const shown =
  /^(image\/(jpeg|png|gif|webp|avif|tiff|bmp|heic)|(audio|video)\/[\w.+-]+|text\/(plain|csv)|application\/(pdf|json))$/

const nothing = "default-src 'none'; sandbox"

/** What browsers need to show a file by itself. Players load it anew, as of its own origin, which a sandbox takes from it. Those of PDF
 *  run apart from all origins: some pass over the policy, and to others a sandbox leaves an empty page. */
const viewers: readonly (readonly [types: RegExp, policy: string])[] = [
  [/^application\/pdf$/, "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"],
  [/^(audio|video)\//, "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'"],
  [/^image\//, "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; sandbox"],
]

const policyFor = (type: string): string => viewers.find(([types]) => types.test(type))?.[1] ?? nothing

function parametersOf({ search }: Incoming): Readonly<Record<string, string>> {
  const given = new URLSearchParams(search)
  const twice = [...given.keys()].find((name, at, all) => all.indexOf(name) !== at)
  if (twice !== undefined) throw fault('INVALID_QUERY', 'A parameter stands there twice.', { path: [twice] })
  return Object.fromEntries(given)
}

/** What a client needs to ask for the same again. */
const known = ({ etag, lastModified, vary }: Asset, { cacheControl }: Incoming): Outgoing['headers'] => ({
  etag: `"${etag}"`,
  'last-modified': lastModified.toUTCString(),
  'cache-control': cacheControl,
  ...(vary && { vary: 'Accept' }),
})

function requireUnchanged({ etag, lastModified }: Asset, { header }: Incoming): void {
  const wanted = header('if-match')
  const isOther =
    wanted === undefined
      ? seconds(lastModified.getTime()) > seconds(readHttpDate(header('if-unmodified-since')))
      : !names(wanted, `"${etag}"`)
  if (isOther) throw fault('PRECONDITION_FAILED', 'The file is no longer as you have seen it.')
}

/** Whether the client has it. Tags say it better than moments, which are as coarse as a second. */
function isKnown({ etag, lastModified }: Asset, { header }: Incoming): boolean {
  const tags = header('if-none-match')
  if (tags !== undefined) return names(tags, `"${etag}"`)
  return seconds(lastModified.getTime()) <= seconds(readHttpDate(header('if-modified-since')))
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000)

/** A part of other bytes than those that the client has would make nonsense of both. */
function rangeAsked({ etag, lastModified, size }: Asset, { header }: Incoming): ReturnType<typeof rangeOf> {
  const condition = header('if-range')
  const isSame =
    condition === undefined || condition === `"${etag}"` || condition === lastModified.toUTCString()
  return isSame ? rangeOf(header('range'), size) : 'all'
}

async function opened(asset: Asset, range: Span | undefined): Promise<ReadableStream<Uint8Array>> {
  try {
    return await asset.open(range)
  } catch (error) {
    // Deleted in the meantime.
    throw isEngineError(error) && error.code === 'NOT_FOUND' ? noFile() : error
  }
}
