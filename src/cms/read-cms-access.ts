import { createHmac, randomBytes } from 'node:crypto'
import type { Access } from '../access/access.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { anything, callback, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { once } from '../values/memo.ts'
import type { CmsRemark } from './cms-remark.ts'
import { ipAllowlistOf } from './ip-allowlist.ts'
import type { Policy, PolicyMember } from './policies.ts'
import { type ServiceRow, textIn } from './read-cells.ts'
import { type CmsSchema, readCmsSchema } from './read-cms-schema.ts'
import { grantsOf, type PermissionContext, type ServiceGrants } from './rules/permission.ts'
import { type CmsOptions, cmsKinds, type Service, serviceOf } from './service.ts'

/** Options of `readCmsAccess`: the service's database, and the maximum age of cached permissions. */
export interface CmsAccessOptions extends CmsOptions {
  /** Result of `readCmsSchema`. By default it is read again. */
  readonly schema?: CmsSchema
  /** Maximum age of cached tokens, roles and permissions. By default 1,000 milliseconds; 0 reads them for each request. */
  readonly maxAgeMs?: number
  /** Returns the IP address of a request. Without it, policies that are limited to some networks grant nothing. */
  readonly addressOf?: (request: Request) => string | null | undefined
}

const accessOptions = optionNames<CmsAccessOptions>({
  ...cmsKinds,
  schema: anything,
  maxAgeMs: anything,
  addressOf: callback,
})

/** Permissions of the service's users. */
export interface CmsAccess {
  /** Authenticates a request, for `createHandler`: returns the access of the user with a static token, the public one without a token, and
   *  null for any other. */
  authenticate(token: string | null, request?: Request): Promise<Access | null>
  /** Returns the access of a user, by key; null for one that is unknown or not active. */
  accessOf(user: string | null, request?: Request): Promise<Access | null>
  /** Returns the access of a role without a user, by key, as operations of flows have it. One that is unknown allows nothing. */
  accessOfRole(role: string, request?: Request): Promise<Access>
  /** Returns remarks about what the last read left out. */
  report(): readonly CmsRemark[]
}

/** Reads the permissions from a database of the reference service: users with static tokens, roles, policies and permissions.
 *  @example const service = new Kysely({ dialect: sqliteDialect({ database: new Database(process.env.CMS_DATABASE) }) })
 *  const { authenticate } = await readCmsAccess(service) // for createHandler
 *  await authenticate('guessed') // → null */
export async function readCmsAccess(db: HostDatabase, options: CmsAccessOptions = {}): Promise<CmsAccess> {
  checkOptions(options, accessOptions)
  const { maxAgeMs = 1_000, addressOf } = options
  if (!Number.isFinite(maxAgeMs) || maxAgeMs < 0)
    throw fault('INVALID_OPTIONS', `"maxAgeMs" is a number of milliseconds, not ${quote(maxAgeMs)}.`, {
      path: ['maxAgeMs'],
    })
  const service = serviceOf(db, options)
  const schema = options.schema ?? (await readCmsSchema(db, options))
  const context = await contextOf(schema, service)
  const known = memoizeFor(maxAgeMs, readerOf(service, context, addressOf !== undefined))
  let last = await known()
  const latest = async () => {
    last = await known()
    return last
  }
  const addressIn = (request: Request | undefined) => (request && addressOf?.(request)) ?? undefined
  return {
    authenticate: async (token, request) => {
      const { tokens, grants } = await latest()
      const member = token === null ? everybody : tokens.memberWith(token)
      return member ? accessFor(member, grants, addressIn(request)) : null
    },
    accessOf: async (user, request) => {
      const [{ grants }, member] = [await latest(), await memberOf(user, service)]
      return member ? accessFor(member, grants, addressIn(request)) : null
    },
    accessOfRole: async (role, request) => {
      const { grants } = await latest()
      return accessFor({ user: undefined, role: role.toLowerCase() }, grants, addressIn(request))
    },
    report: () => [...last.grants.remarks, ...last.tokens.remarks],
  }
}

const everybody: PolicyMember = { user: undefined, role: undefined }

/** Returns a function that reads all permissions. Without changes it returns the same object as before, for which an engine has cached its
 *  results. */
function readerOf(
  { rowsOf }: Service,
  context: PermissionContext,
  knowsAddresses: boolean,
): () => Promise<{ readonly grants: ServiceGrants; readonly tokens: Tokens }> {
  let before: { readonly text: string; readonly grants: ServiceGrants } | undefined
  return async () => {
    const users = await rowsOf('directus_users', {
      columns: ['id', 'role', 'token'],
      where: { status: 'active' },
      present: 'token',
    })
    const rows = {
      // First, because a service that is too old does not have this table.
      policies: await rowsOf('directus_policies', { columns: ['id', 'admin_access', 'ip_access'] }),
      roles: await rowsOf('directus_roles', { columns: ['id', 'parent'] }),
      access: await rowsOf('directus_access'),
      permissions: await rowsOf('directus_permissions'),
    }
    const text = JSON.stringify(rows, withBigIntegers)
    const grants = before?.text === text ? before.grants : grantsOf(rows, context, knowsAddresses)
    before = { text, grants }
    return { grants, tokens: tokensOf(users) }
  }
}

/** Some drivers return whole numbers as bigints. */
const withBigIntegers = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** Returns the basis of permissions. They may name fields of the service that are hidden or left out here. */
async function contextOf(schema: CmsSchema, { rowsOf }: Service): Promise<PermissionContext> {
  const fields = await rowsOf('directus_fields', { columns: ['collection', 'field'] })
  const names = [
    ...fields.map((row) => [textIn(row, 'collection'), textIn(row, 'field')]),
    ...reported(schema),
  ]
  const known = new Set(names.map((place) => JSON.stringify(place)))
  return { schema, isLeftOut: (collection, field) => known.has(JSON.stringify([collection, field])) }
}

const reported = ({ report }: CmsSchema) => report.map(({ collection, field }) => [collection, field])

async function memberOf(user: string | null, { rowsOf }: Service): Promise<PolicyMember | undefined> {
  if (typeof user !== 'string' || !uuid.test(user)) return undefined
  const [row] = await rowsOf('directus_users', {
    columns: ['id', 'role'],
    where: { id: user.toLowerCase(), status: 'active' },
  })
  return row && { user: textIn(row, 'id'), role: textIn(row, 'role') }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function accessFor(
  member: PolicyMember,
  { policies, rulesOf }: ServiceGrants,
  address: string | undefined,
): Access {
  const { user, role } = member
  const caller = { ...(user !== undefined && { user }), ...(role !== undefined && { role }) }
  const membership = policies.of(member, (policy) => countsFrom(address, policy))
  if (!membership) return { ...caller, roles: [], policies: [], rules: rulesOf([]) }
  const { roles, policies: held, isAdmin } = membership
  const whole = { ...caller, roles, policies: held.map(({ id }) => id) }
  return isAdmin ? { ...whole, admin: true } : { ...whole, rules: rulesOf(held) }
}

function countsFrom(address: string | undefined, { networks }: Policy): boolean {
  if (networks.length === 0) return true
  return address !== undefined && ipAllowlistOf(networks)?.(address) === true
}

/** Returns a cached result, or reads it again: concurrent calls share one read (single flight). A failed read is retried by the next
 *  call. */
export function memoizeFor<Found>(maxAgeMs: number, read: () => Promise<Found>): () => Promise<Found> {
  let last: { readonly since: number; readonly found: Promise<Found> } | undefined
  return async () => {
    // The age counts from the beginning of the read.
    const now = performance.now()
    const current = last && now - last.since <= maxAgeMs ? last : { since: now, found: read() }
    last = current
    try {
      return await current.found
    } catch (error) {
      if (last === current) last = undefined
      throw error
    }
  }
}

interface Tokens {
  memberWith(token: string): PolicyMember | undefined
  readonly remarks: readonly CmsRemark[]
}

/** Finds users by their tokens. Keyed digests are compared, so that timing reveals nothing about a guess. */
function tokensOf(users: readonly ServiceRow[]): Tokens {
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
