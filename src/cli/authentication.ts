// Who is let in.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Access } from '../access/access.ts'
import type { Schema } from '../schema/model.ts'

/** What whoever is let in may do: everything, or read everything. */
export function accessFor({ collections }: Schema, isReadonly: boolean): Access {
  if (!isReadonly) return { admin: true }
  return { rules: Object.fromEntries([...collections.keys()].map((name) => [name, { read: true }])) }
}

/** Says who asks: with a token whoever has it, without one whoever gets here. */
export function authentication(
  access: Access,
  token: string | undefined,
): (given: string | null) => Access | null {
  if (token === undefined) return () => access
  const wanted = digest(token)
  return (given) => (given !== null && timingSafeEqual(digest(given), wanted) ? access : null)
}

/** Of one length, whatever the text. */
const digest = (text: string) => createHash('sha256').update(text).digest()

/** Whether only this machine can reach an address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Whether a request was meant for this machine. A page of the web can give its own name this address, and would then be answered. */
export function isMeantForLoopback({ headers }: IncomingMessage): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(headers.host ?? '')?.[1] ?? ''
  return isLoopback(name.replace(/^\[|\]$/g, '').toLowerCase())
}
