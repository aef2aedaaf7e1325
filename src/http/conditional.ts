// Answers that the client has already, and changes of what it has not seen.
import { createHash } from 'node:crypto'
import { fault } from '../errors.ts'
import type { Incoming, Outgoing } from './messages.ts'

/** Weak, because a transport may still compress it. */
export const etagOf = (text: string): string => `W/"${createHash('sha1').update(text).digest('base64url')}"`

/** Tells what an answer is known by, and leaves its body out where the client has it. */
export function conditional({ method, header }: Incoming, answer: Outgoing): Outgoing {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'SEARCH'
  if (!isRead || answer.status !== 200 || typeof answer.body !== 'string') return answer
  const etag = etagOf(answer.body)
  const headers = { ...answer.headers, etag }
  if (!names(header('if-none-match'), etag)) return { ...answer, headers }
  return { status: 304, headers: { etag } }
}

/** Whether a list of tags names one, or any. Weak and strong tags of the same text are the same here. */
function names(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false
  const wanted = list.split(',').map((one) => one.trim())
  return wanted.includes('*') || wanted.some((one) => plain(one) === plain(etag))
}

const plain = (etag: string): string => etag.replace(/^W\//, '')

/** Refuses to change what is no longer as the client has seen it. */
export function requireMatch({ header }: Incoming, text: string): void {
  const wanted = header('if-match')
  if (wanted !== undefined && !names(wanted, etagOf(text)))
    throw fault('PRECONDITION_FAILED', undefined, { extensions: { etag: etagOf(text) } })
}

export const isConditional = ({ header }: Incoming): boolean => header('if-match') !== undefined
