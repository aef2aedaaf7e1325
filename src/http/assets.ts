// HTTP responses with the bytes of files.

import { type Engine, internalsOf } from '../engine/engine.ts'
import { plainFault } from '../errors/code-texts.ts'
import { fault, isEngineError } from '../errors/errors.ts'
import { contentDisposition } from '../export/content-disposition.ts'
import { noFile } from '../files/file-row.ts'
import { type Asset, findAsset } from '../files/transform-asset.ts'
import type { OutgoingChunks } from '../storage/outgoing-bytes.ts'
import { hasTag } from './conditional.ts'
import type { Incoming, Outgoing, Reply } from './messages.ts'

export async function read(engine: Engine, incoming: Incoming): Promise<Reply> {
  const { download, ...parameters } = parametersOf(incoming)
  // A suffix of the key, such as `.png`, is ignored.
  const asset = await findAsset(internalsOf(engine), incoming.id.slice(0, keyLength), parameters, {
    accept: incoming.header('accept'),
    signal: incoming.options.signal,
  })
  let isOpened = false
  const open = (range: Span | undefined) => {
    isOpened = true
    return opened(asset, range)
  }
  try {
    return await replyWith(asset, incoming, download !== undefined, open)
  } finally {
    if (!isOpened) asset.close()
  }
}

async function replyWith(
  asset: Asset,
  incoming: Incoming,
  isDownload: boolean,
  open: (range: Span | undefined) => Promise<OutgoingChunks>,
): Promise<Reply> {
  requireUnchanged(asset, incoming)
  if (isKnown(asset, incoming)) return { status: 304, headers: conditionalHeaders(asset, incoming) }
  const range = requestedRange(asset, incoming)
  const headers = {
    ...conditionalHeaders(asset, incoming),
    ...displayHeaders(asset, isDownload, incoming),
    ...lengthHeaders(asset, range),
  }
  const status = range ? 206 : 200
  if (incoming.method !== 'GET') return { status, headers }
  return { status, headers, body: await open(range) }
}

const keyLength = 36

/** Returns the headers about what a browser does with a file: it shows it, or offers it for saving. */
function displayHeaders(asset: Asset, isDownload: boolean, { filename }: Incoming): Outgoing['headers'] {
  const isSaved = isDownload || !displayed.test(asset.type)
  return {
    'content-type': asset.type,
    'content-disposition': contentDisposition(filename || asset.filename, isSaved ? 'attachment' : 'inline'),
    'accept-ranges': 'bytes',
    // Whatever type a file claims, it runs nothing here, and loads nothing but itself.
    'x-content-type-options': 'nosniff',
    'content-security-policy': isSaved ? nothing : policyFor(asset.type),
  }
}

/** Types that a browser shows and does not run. All others are offered for saving. */
const displayed =
  /^(image\/(jpeg|png|gif|webp|avif|tiff|bmp|heic)|(audio|video)\/[\w.+-]+|text\/(plain|csv)|application\/(pdf|json))$/

const nothing = "default-src 'none'; sandbox"

/** Policies that let browsers show a file by itself. Players load it again, from its own origin, which a sandbox would take away. PDF
 *  viewers run apart from all origins: some ignore the policy, and others show an empty page in a sandbox. */
const viewers: readonly (readonly [types: RegExp, policy: string])[] = [
  [/^application\/pdf$/, "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"],
  [/^(audio|video)\//, "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'"],
  [/^image\//, "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; sandbox"],
]

const policyFor = (type: string): string => viewers.find(([types]) => types.test(type))?.[1] ?? nothing

function parametersOf({ queryString }: Incoming): Readonly<Record<string, string>> {
  const input = new URLSearchParams(queryString)
  const twice = [...input.keys()].find((name, at, all) => all.indexOf(name) !== at)
  if (twice !== undefined) throw fault('INVALID_QUERY', 'A parameter is given twice.', { path: [twice] })
  return Object.fromEntries(input)
}

/** Returns the headers that a client needs for conditional requests. */
const conditionalHeaders = (
  { etag, lastModified, vary }: Asset,
  { cacheControl }: Incoming,
): Outgoing['headers'] => ({
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
      : !hasTag(wanted, `"${etag}"`)
  if (isOther) throw fault('PRECONDITION_FAILED', 'The file has changed since you read it.')
}

/** True if the client has the current bytes. Tags take precedence over dates, which are only exact to the second. */
function isKnown({ etag, lastModified }: Asset, { header }: Incoming): boolean {
  const tags = header('if-none-match')
  if (tags !== undefined) return hasTag(tags, `"${etag}"`)
  return seconds(lastModified.getTime()) <= seconds(readHttpDate(header('if-modified-since')))
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000)

/** Returns the requested range, if the client's other parts are of the same bytes; parts of different bytes must not be mixed. Undefined for
 *  all bytes. */
function requestedRange({ etag, lastModified, size }: Asset, { method, header }: Incoming): Span | undefined {
  const condition = header('if-range')
  const isSame =
    condition === undefined || condition === `"${etag}"` || condition === lastModified.toUTCString()
  const range = method === 'GET' && isSame ? rangeOf(header('range'), size) : 'all'
  if (range === 'none') throw plainFault('RANGE_NOT_SATISFIABLE', { extensions: { size } })
  return range === 'all' ? undefined : range
}

function lengthHeaders({ size }: Asset, range: Span | undefined): Outgoing['headers'] {
  if (!range) return { 'content-length': `${size}` }
  const { start, end } = range
  return { 'content-length': `${end - start + 1}`, 'content-range': `bytes ${start}-${end}/${size}` }
}

async function opened(asset: Asset, range: Span | undefined): Promise<OutgoingChunks> {
  try {
    return await asset.open(range)
  } catch (error) {
    // The file was deleted in the meantime.
    throw isEngineError(error) && error.code === 'NOT_FOUND' ? noFile() : error
  }
}

/** Parses an HTTP date (RFC 9110, section 5.6.7) to a timestamp in milliseconds. NaN for any other text, which is ignored: JavaScript takes
 *  nearly everything for a date, such as a bare number. */
function readHttpDate(text: string | undefined): number {
  const input = text?.trim() ?? ''
  // The asctime form names no time zone. GMT is meant, and not that of this machine.
  if (ofC.test(input)) return Date.parse(`${input} GMT`)
  return now.test(input) || before.test(input) ? Date.parse(input) : Number.NaN
}

const now = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
const before = /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/
const ofC = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

/** Offsets of the first byte and the last one. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Returns the range of a `Range` header for a size: one range; 'none' if it begins behind the end; or 'all' if it is not understood, or
 *  has several ranges. */
export function rangeOf(header: string | undefined, size: number): Span | 'none' | 'all' {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return 'all'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const [start, end] = [Number(first), last === '' ? size - 1 : Number(last)]
  if (last !== '' && end < start) return 'all'
  return start >= size ? 'none' : { start, end: Math.min(end, size - 1) }
}
