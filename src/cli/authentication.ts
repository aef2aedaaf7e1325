// Authentication of the server.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Access } from '../access/access.ts'
import type { Schema } from '../schema/model.ts'

/** Returns the access of an authenticated caller: everything, or read everything. */
export function accessFor({ collections }: Schema, isReadonly: boolean): Access {
  if (!isReadonly) return { admin: true }
  return { rules: Object.fromEntries([...collections.keys()].map((name) => [name, { read: true }])) }
}

/** Returns the function that authenticates a request: by its token or, without one, any request. */
export function authentication(
  access: Access,
  token: string | undefined,
): (input: string | null) => Access | null {
  if (token === undefined) return () => access
  const wanted = digest(token)
  return (input) => (input !== null && timingSafeEqual(digest(input), wanted) ? access : null)
}

/** Returns a digest of the same length for any text. */
const digest = (text: string) => createHash('sha256').update(text).digest()

/** True if only this machine can reach an address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** True if a request names this machine as its host. A web page can point its own name to this address, and would otherwise get
 *  responses. */
export function isForLoopback({ headers }: IncomingMessage): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(headers.host ?? '')?.[1] ?? ''
  return isLoopback(name.replace(/^\[|\]$/g, '').toLowerCase())
}
