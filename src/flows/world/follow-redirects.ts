// A request as a flow makes it: its address is checked, redirects are followed, and its answer is read up to a bound.
import { fault } from '../../errors/errors.ts'
import { badValue } from '../reject.ts'
import { asNotReached, type Exchange, type OpenAnswer, type OutgoingRequest } from './exchange.ts'
import { unreachableHost } from './reach.ts'

export interface FlowRequest extends Omit<OutgoingRequest, 'url' | 'signal'> {
  readonly url: string
}

/** Ways and bounds of making it. */
interface Following {
  readonly exchange: Exchange
  readonly signal: AbortSignal
  readonly mayFollow: (origin: string) => boolean
  readonly holdsSecret: (text: string) => boolean
}

interface ReadAnswer extends Pick<OpenAnswer, 'status' | 'statusText' | 'headers'> {
  readonly text: string
}

const mostRedirects = 5
/** Maximum bytes of a body, once it is decompressed. */
const mostBody = 1024 * 1024
const redirects: readonly number[] = [301, 302, 303, 307, 308]
/** Headers that say nothing of who asks. All others end at the origin for which they were written, whatever they are called. */
const neutral: readonly string[] = ['accept', 'accept-language', 'content-type', 'user-agent']

export async function followRedirects(request: FlowRequest, following: Following): Promise<ReadAnswer> {
  let next = request
  for (let count = 0; ; count++) {
    const url = checkedAddress(next.url)
    const answer = await following.exchange({ ...next, url, signal: following.signal })
    const found = redirects.includes(answer.status) ? answer.headers.location : undefined
    if (typeof found !== 'string') return readAnswer(answer, following.signal)
    const target = asWritten(found)
    answer.close()
    if (count === mostRedirects)
      throw badValue(`A request is redirected ${mostRedirects} times at most.`, ['url'])
    next = redirected({ ...next, url: url.href }, answer.status, target, following)
  }
}

/** Returns a header as the server has written it: servers send letters as UTF-8, and headers are read byte by byte. */
function asWritten(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'))
  } catch {
    return header
  }
}

/** Reads an address, and refuses what no request goes to. */
function checkedAddress(text: string): URL {
  const path = ['url']
  if (!URL.canParse(text)) throw badValue('This is no address.', path)
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw badValue('An address begins with https:// or http://.', path)
  if (url.username !== '' || url.password !== '')
    throw badValue('An address has no user and no password: these stand in a header.', path)
  if (url.port === '0') throw badValue('There is no port 0.', path)
  url.hash = ''
  return url
}

function redirected(
  request: FlowRequest,
  status: number,
  target: string,
  { mayFollow, holdsSecret }: Following,
): FlowRequest {
  const from = new URL(request.url)
  if (!URL.canParse(target, from.href))
    throw badValue('The server has redirected to what is no address.', ['url'])
  const to = new URL(target, from)
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw badValue('The server has redirected from https to http.', ['url'])
  const isSame = to.origin === from.origin
  const isRead = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST'
  const kept = isRead ? { method: 'GET', body: undefined } : request
  const headers = Object.entries(request.headers).filter(
    ([name]) => (isSame || neutral.includes(name)) && !(isRead && name.startsWith('content-')),
  )
  if (!isSame) {
    const body = kept.body === undefined ? '' : new TextDecoder().decode(kept.body)
    const places = [target, to.href].flatMap((place) => [place, withoutEscapes(place)])
    const texts = [...places, body, ...headers.map(([, value]) => value)]
    if (!mayFollow(to.origin) || texts.some(holdsSecret)) throw unreachableHost('url')
  }
  return { url: to.href, method: kept.method, body: kept.body, headers: Object.fromEntries(headers) }
}

/** Decodes the valid escapes of an address: a secret is found among invalid ones, too. */
const withoutEscapes = (text: string): string =>
  Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString()

async function readAnswer({ body, close, ...answer }: OpenAnswer, signal: AbortSignal): Promise<ReadAnswer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > mostBody)
        throw fault('CONTENT_TOO_LARGE', `The answer has more than ${mostBody.toLocaleString('en')} bytes.`)
      chunks.push(chunk)
    }
    // A body without a length ends with its connection, also if that was ended here.
    signal.throwIfAborted()
  } catch (error) {
    throw bytes > mostBody ? error : asNotReached(error)
  } finally {
    close()
  }
  return {
    status: answer.status,
    statusText: answer.statusText,
    headers: answer.headers,
    text: textOf(Buffer.concat(chunks), answer.headers['content-type']),
  }
}

/** Reads a body in the characters that its type names, else as UTF-8. */
function textOf(bytes: Uint8Array, type: string | readonly string[] | undefined): string {
  const [, charset] = /;\s*charset\s*=\s*"?([\w:.-]{1,64})/i.exec(String(type)) ?? []
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    // Such characters are not known.
    return new TextDecoder().decode(bytes)
  }
}
