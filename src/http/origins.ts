// Requests that another site lets its visitors send. A browser sends forms to any site, with the cookies that it has for it, and asks
// nobody before; JSON, PATCH and DELETE it sends to another origin only where the host allows that.
import { fault } from '../errors/errors.ts'
import { bearerOf } from './bearer.ts'

/** Refuses what a page of another origin may send without being asked, unless a token that no page can add by accident comes with it. */
export function refuseForeign({ method, headers, url }: Request, trusted: readonly string[]): void {
  if (method !== 'POST' || !unasked.test(headers.get('content-type') ?? '')) return
  if (bearerOf(headers.get('authorization')) !== undefined) return
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  // What is no browser sends neither, and has no cookies of others.
  const isOwn = site === null ? origin === null || isAt(origin, hostOf(headers, url)) : own.has(site)
  if (isOwn || trusted.includes('*') || (origin !== null && trusted.includes(origin))) return
  throw fault('FORBIDDEN', 'A form of another origin is not taken without a token in "Authorization".', {
    hint: 'Send the token as "Authorization: Bearer …", or let the host trust the origin.',
  })
}

/** Types of bodies that a browser sends to any site, and no type. */
const unasked = /^\s*(?:$|multipart\/|text\/plain|application\/x-www-form-urlencoded)/i

/** The page is of the same origin, or there is none: somebody has typed an address. */
const own: ReadonlySet<string> = new Set(['same-origin', 'none'])

const hostOf = (headers: Headers, url: string): string => headers.get('host') ?? new URL(url).host

const isAt = (origin: string, host: string): boolean =>
  URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
