// Protection against cross-site requests. A browser sends forms to any site, with the cookies that it has for it, and without a preflight;
// JSON, PATCH and DELETE it sends to another origin only if the host allows it.
import { fault } from '../errors/errors.ts'
import { bearerOf } from './authenticate.ts'
import type { RequestHead } from './messages.ts'

/** Refuses requests that a page of another origin can send without a preflight, unless they carry a token, which no page can add by
 *  accident. */
export function refuseForeign(head: RequestHead, trusted: readonly string[]): void {
  if (head.method !== 'POST' || !unasked.test(head.header('content-type') ?? '')) return
  if (!isForeign(head, trusted)) return
  throw fault('FORBIDDEN', 'A form from another origin needs a token in "Authorization".', {
    hint: 'Send the token as "Authorization: Bearer …", or configure the origin as trusted.',
  })
}

/** True for a request that a page of another origin may have sent with the cookies of its user. */
export function isForeign({ method, header, url }: RequestHead, trusted: readonly string[]): boolean {
  if (bearerOf(header('authorization')) !== undefined) return false
  const origin = header('origin')
  const site = header('sec-fetch-site')
  if (trusted.includes('*') || (origin !== null && trusted.includes(origin))) return false
  if (site !== null) return !own.has(site)
  if (origin !== null) return !isAt(origin, hostOf(header('host'), url), schemeOf(url))
  // Clients that send neither header are no browsers, and have no cookies of others. Older browsers send neither with a link or a picture.
  return method !== 'POST' && header('cookie') !== null
}

/** Types of bodies that a browser sends to any site without a preflight, and no type. */
const unasked = /^\s*(?:$|multipart\/|text\/plain|application\/x-www-form-urlencoded)/i

/** Values for a page of the same origin, or for none: the user has typed an address. */
const own: ReadonlySet<string> = new Set(['same-origin', 'none'])

export const hostOf = (host: string | null, url: string): string => host ?? new URL(url).host

/** True for a host with or without a port, and nothing else. */
export const isHost = (text: string): boolean =>
  /^(?:\[[\da-f:.]+\]|[^\s/?#@\\:,[\]]+)(?::\d{1,5})?$/i.test(text)

/** True for the origin of a page at a host: its host and its port, and its scheme where that is known. Behind a proxy that ends TLS it is not. */
export function isAt(origin: string, host: string, scheme: 'http' | 'https' | undefined): boolean {
  const page = URL.canParse(origin) ? new URL(origin) : undefined
  if (!page || !isHost(host)) return false
  const isOfScheme = scheme === undefined ? /^https?:$/.test(page.protocol) : page.protocol === `${scheme}:`
  // The port of a scheme is written, or left out.
  const own = `${page.protocol}//${host}`
  return isOfScheme && URL.canParse(own) && new URL(own).host === page.host
}

/** Returns the scheme of a URL, where it is known: what is not encrypted here may be so before a proxy. */
export const schemeOf = (url: string): 'https' | undefined => (/^https:/i.test(url) ? 'https' : undefined)
