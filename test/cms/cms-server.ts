// The database of the service behind a handler, as a host sets it up, changed beforehand as a test wants it.
import { sql } from 'kysely'
import { createHandler } from '../../src/http.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import {
  type CmsAccess,
  type CmsAccessOptions,
  type CmsSchema,
  readCmsAccess,
  readCmsSchema,
} from '../../src/introspect.ts'
import { insert, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { requestOf } from '../support/request-of.ts'

export type Db = OpenDatabase['db']

export interface CmsWorld {
  readonly db: Db
  readonly schema: CmsSchema
  readonly engine: Engine<CmsSchema>
  readonly access: CmsAccess
  /** `ask('user-token', 'GET /items/articles')` */
  ask(
    token: string | null,
    line: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }>
  close(): Promise<void>
}

export async function openCms(
  { open }: TestDatabase,
  change: (db: Db) => Promise<void> = async () => {},
  options: CmsAccessOptions = { maxAgeMs: 0 },
): Promise<CmsWorld> {
  const { db, close } = await open()
  await change(db)
  const schema = await readCmsSchema(db)
  const engine = createEngine({ db, schema, ...schema.options })
  const access = await readCmsAccess(db, { schema, ...options })
  const handler = createHandler(engine, { authenticate: access.authenticate, onError: () => {} })
  const ask: CmsWorld['ask'] = async (token, line, body) => {
    const [method = '', path = ''] = line.split(' ')
    const response = await handler(
      requestOf(method, path, body, token === null ? {} : { authorization: `Bearer ${token}` }),
    )
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return { db, schema, engine, access, ask, close }
}

export const editorsPolicy = '00000000-0000-4000-8000-00000000b001'
export const editorsRole = '00000000-0000-4000-8000-00000000a001'
export const publicPolicy = 'abf8a154-5b1c-4a46-ac9c-7300570f4f17'
export const editor = '00000000-0000-4000-8000-00000000c001'

export interface PermissionRow {
  readonly policy?: string
  readonly collection: string
  readonly action?: string
  readonly fields?: string | null
  readonly permissions?: unknown
  readonly validation?: unknown
  readonly presets?: unknown
}

/** Gives a policy a permission: the editors one to read everything, unless told otherwise. */
export async function permit(db: Db, row: PermissionRow): Promise<void> {
  const { permissions = null, validation = null, presets = null } = row
  const text = (value: unknown) =>
    value === null || typeof value === 'string' ? value : JSON.stringify(value)
  await insert(db, 'directus_permissions', {
    policy: editorsPolicy,
    action: 'read',
    fields: '*',
    ...row,
    permissions: text(permissions),
    validation: text(validation),
    presets: text(presets),
  })
}

/** Takes from the editors what the fixture lets them do. */
export async function forbid(db: Db, collection: string): Promise<void> {
  await db.deleteFrom('directus_permissions').where('collection', '=', collection).execute()
}

let added = 0

export async function addPolicy(
  db: Db,
  to: { readonly role?: string; readonly user?: string },
  {
    isAdmin = false,
    networks = null,
  }: { readonly isAdmin?: boolean; readonly networks?: string | null } = {},
): Promise<string> {
  added++
  const id = `00000000-0000-4000-8000-0000000d${String(added).padStart(4, '0')}`
  await insert(db, 'directus_policies', {
    id,
    name: `policy ${added}`,
    ip_access: networks,
    admin_access: isAdmin ? sql`true` : sql`false`,
  })
  const access = `00000000-0000-4000-8000-0000000e${String(added).padStart(4, '0')}`
  await insert(db, 'directus_access', { id: access, policy: id, ...to })
  return id
}
