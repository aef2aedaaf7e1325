import { createHmac, randomBytes } from 'node:crypto'
import { once } from '../values/memo.ts'
import type { CmsRemark } from './cms-remark.ts'
import type { PolicyMember } from './policies.ts'
import { type ServiceRow, textIn } from './read-cells.ts'

export interface Tokens {
  memberWith(token: string): PolicyMember | undefined
  readonly remarks: readonly CmsRemark[]
}

/** Finds users by their tokens. Keyed digests are compared, so that timing reveals nothing about a guess. */
export function tokensOf(users: readonly ServiceRow[]): Tokens {
  const members = new Map<string, PolicyMember>()
  const twice = new Map<string, CmsRemark>()
  for (const row of users) {
    const token = textIn(row, 'token')
    const user = textIn(row, 'id')
    if (token === undefined || user === undefined) continue
    const name = digest(token)
    if (members.has(name))
      twice.set(name, { user, message: 'Its token is that of another user, too, so it is ignored.' })
    members.set(name, { user, role: textIn(row, 'role') })
  }
  for (const name of twice.keys()) members.delete(name)
  return { memberWith: (token) => members.get(digest(token)), remarks: [...twice.values()] }
}

// Made on first use: runtimes such as Workers have no random bytes while a module is loaded.
const secret = once(() => randomBytes(32))
const digest = (token: string): string => createHmac('sha256', secret()).update(token).digest('base64')
