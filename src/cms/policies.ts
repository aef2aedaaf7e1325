// Policies of users and roles, from the tables of roles and of their attached policies.

import type { CmsRemark } from './cms-remark.ts'
import { flagIn, type ServiceRow, textIn } from './read-cells.ts'

export interface PolicyMember {
  readonly user: string | undefined
  readonly role: string | undefined
}

export interface Membership {
  /** The role with those above it, the highest first. */
  readonly roles: readonly string[]
  /** Policies by precedence, the strongest last. */
  readonly policies: readonly Policy[]
  readonly isAdmin: boolean
}

export interface Policy {
  readonly id: string
  readonly isAdmin: boolean
  /** Networks to which the policy is limited; empty if there is no limit. */
  readonly networks: readonly string[]
}

export interface PolicyRows {
  readonly roles: readonly ServiceRow[]
  readonly policies: readonly ServiceRow[]
  readonly access: readonly ServiceRow[]
}

export class Policies {
  readonly remarks: readonly CmsRemark[]
  readonly #parents: ReadonlyMap<string, string | undefined>
  readonly #policies: ReadonlyMap<string, Policy>
  readonly #attached: readonly Attachment[]

  constructor({ roles, policies, access }: PolicyRows) {
    this.#parents = new Map(roles.map((row) => [textIn(row, 'id') ?? '', textIn(row, 'parent')]))
    this.#policies = new Map(policies.map((row) => [textIn(row, 'id') ?? '', policyOf(row)]))
    this.#attached = access.map(attachmentOf).toSorted((one, other) => one.sort - other.sort)
    this.remarks = [...this.#parents.keys()].flatMap((role) =>
      this.rolesOf(role)
        ? []
        : [{ role, message: 'Its parents lead in a circle or nowhere, so it grants nothing.' }],
    )
  }

  /** Returns the membership. Undefined for a role whose parents cannot be found: its permissions are unknown. */
  of({ user, role }: PolicyMember, isHere: (policy: Policy) => boolean): Membership | undefined {
    const roles = role === undefined ? [] : this.rolesOf(role)
    if (!roles) return undefined
    const ofRoles =
      role === undefined
        ? this.#attachedTo((one) => one.role === undefined && one.user === undefined)
        : roles.flatMap((id) => this.#attachedTo((one) => one.role === id))
    const ofUser = user === undefined ? [] : this.#attachedTo((one) => one.user === user)
    const own = role === undefined ? ofUser : [...ofRoles, ...ofUser]
    return {
      roles,
      policies: once([...ofRoles, ...ofUser].filter(isHere)),
      // A public policy makes no user an administrator.
      isAdmin: own.filter(isHere).some(({ isAdmin }) => isAdmin),
    }
  }

  rolesOf(role: string): readonly string[] | undefined {
    const found: string[] = []
    for (let next: string | undefined = role; next !== undefined; next = this.#parents.get(next)) {
      if (found.includes(next) || !this.#parents.has(next)) return undefined
      found.unshift(next)
    }
    return found
  }

  #attachedTo(matches: (attachment: Attachment) => boolean): readonly Policy[] {
    return this.#attached.filter(matches).flatMap(({ policy }) => this.#policies.get(policy) ?? [])
  }
}

interface Attachment {
  readonly role: string | undefined
  readonly user: string | undefined
  readonly policy: string
  readonly sort: number
}

const attachmentOf = (row: ServiceRow): Attachment => ({
  role: textIn(row, 'role'),
  user: textIn(row, 'user'),
  policy: textIn(row, 'policy') ?? '',
  sort: Number(row.sort ?? 0),
})

const policyOf = (row: ServiceRow): Policy => ({
  id: textIn(row, 'id') ?? '',
  isAdmin: flagIn(row, 'admin_access'),
  // Text without any network is a limit, too: to none.
  networks: textIn(row, 'ip_access')?.split(',') ?? [],
})

/** Removes repeated policies, and keeps the position with the highest precedence. */
const once = (policies: readonly Policy[]): readonly Policy[] =>
  policies.filter((policy, at) => policies.findLastIndex(({ id }) => id === policy.id) === at)
