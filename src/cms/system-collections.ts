// The service's own tables that become collections. The service has their fields built in, so this is not in its tables.
import type { Schema } from '../schema/model.ts'
import type { Lookups } from '../vocabulary/variables.ts'
import type { FieldFact, RelationFact } from './facts.ts'

interface SystemCollection {
  /** Specials by field, as they would be in its table of fields. */
  readonly specials?: Readonly<Record<string, string>>
  /** Many-to-one fields that need not be foreign keys of the database. */
  readonly links?: Readonly<Record<string, string>>
  /** To-many fields: the many-to-one field on the other side. */
  readonly lists?: Readonly<Record<string, string>>
  /** Fields that only the service can write so that it still understands them. */
  readonly kept?: readonly string[]
}

const id = { id: 'uuid' }
const created = { date_created: 'date-created,cast-timestamp', user_created: 'user-created' }
const updated = { date_updated: 'date-updated,cast-timestamp', user_updated: 'user-updated' }

/** Collections of the service. Those left out do not concern an application: sessions, tokens of other programs, metadata of
 *  collections. */
const collections = {
  directus_access: { specials: id },
  directus_activity: {
    specials: { timestamp: 'date-created,cast-timestamp' },
    links: { user: 'directus_users' },
    lists: { revisions: 'directus_revisions.activity' },
  },
  directus_comments: { specials: { ...id, ...created, ...updated } },
  directus_dashboards: { specials: { ...id, ...created }, lists: { panels: 'directus_panels.dashboard' } },
  directus_files: {
    specials: {
      ...id,
      created_on: 'date-created,cast-timestamp',
      uploaded_on: 'cast-timestamp',
      modified_on: 'date-updated,cast-timestamp',
      uploaded_by: 'user-created',
      modified_by: 'user-updated',
      tags: 'cast-json',
      metadata: 'cast-json',
    },
    links: { folder: 'directus_folders', uploaded_by: 'directus_users', modified_by: 'directus_users' },
    // Fields that follow from the bytes, and the storage key: written by the file functions, and never by a caller.
    kept: ['filename_disk', 'type', 'filesize', 'width', 'height', 'tus_id', 'tus_data'],
  },
  directus_flows: {
    specials: { ...id, ...created },
    lists: { operations: 'directus_operations.flow' },
  },
  directus_folders: {
    specials: id,
    links: { parent: 'directus_folders' },
    lists: { children: 'directus_folders.parent' },
  },
  directus_notifications: { specials: { timestamp: 'date-created,cast-timestamp' } },
  directus_operations: { specials: { ...id, ...created } },
  directus_panels: { specials: { ...id, ...created } },
  directus_permissions: { specials: { fields: 'cast-csv' } },
  directus_policies: {
    specials: { ...id, ip_access: 'cast-csv' },
    lists: {
      permissions: 'directus_permissions.policy',
      users: 'directus_access.policy',
      roles: 'directus_access.policy',
    },
  },
  directus_presets: {},
  directus_revisions: {
    links: { activity: 'directus_activity', parent: 'directus_revisions', version: 'directus_versions' },
  },
  directus_roles: {
    specials: id,
    links: { parent: 'directus_roles' },
    lists: {
      children: 'directus_roles.parent',
      users: 'directus_users.role',
      policies: 'directus_access.role',
    },
  },
  directus_settings: {},
  directus_shares: {
    specials: {
      ...id,
      ...created,
      password: 'hash',
      date_start: 'cast-timestamp',
      date_end: 'cast-timestamp',
    },
    kept: ['password'],
  },
  directus_translations: { specials: id },
  directus_users: {
    specials: {
      ...id,
      password: 'hash',
      tags: 'cast-json',
      last_access: 'cast-timestamp',
      auth_data: 'cast-json,conceal',
    },
    links: { role: 'directus_roles', avatar: 'directus_files' },
    lists: { policies: 'directus_access.user' },
    // Fields for signing in, which only the service manages.
    kept: ['password', 'tfa_secret', 'provider', 'external_identifier', 'auth_data', 'last_access'],
  },
  directus_versions: { specials: { ...id, ...created, ...updated } },
} as const satisfies Readonly<Record<string, SystemCollection>>

const all: readonly (readonly [string, SystemCollection])[] = Object.entries(collections)

/** Prefix of all its tables, and of no user collection. */
const prefix = 'directus_'

/** True if a table is internal to the service, and no collection. */
export const isInternal = (table: string): boolean =>
  table.startsWith(prefix) && !Object.hasOwn(collections, table)

export const isSystem = (collection: string): boolean => collection.startsWith(prefix)

/** True if a field of the service's own holds a secret. Recognised by its name, so that new ones are hidden, too. */
export const isSystemSecret = (collection: string, field: string): boolean =>
  Object.hasOwn(collections, collection) && secretNames.test(field)

const secretNames = /(^|_)(password|secret|token|credentials)$|_(key|headers)$/

export const singletons: ReadonlySet<string> = new Set(['directus_settings'])

export const versionsName = 'directus_versions'
export const filesName = 'directus_files'

const variables: Lookups = {
  $CURRENT_USER: 'directus_users',
  $CURRENT_ROLE: 'directus_roles',
  $CURRENT_ROLES: 'directus_roles',
  $CURRENT_POLICIES: 'directus_policies',
}

export const lookupsIn = ({ collections: there }: Schema): Lookups =>
  Object.fromEntries(Object.entries(variables).filter(([, collection]) => there.has(collection)))

export const systemFields: readonly FieldFact[] = all.flatMap(([collection, { specials = {}, kept = [] }]) =>
  [...new Set([...Object.keys(specials), ...kept])].map((name) => ({
    collection,
    name,
    specials: (specials[name] ?? '').split(',').filter((special) => special !== ''),
    note: undefined,
    isSearchable: true,
    validation: undefined,
    isKept: kept.includes(name),
  })),
)

const relation = { anyOf: [], by: undefined, junctionField: undefined, sortField: undefined }

export const systemRelations: readonly RelationFact[] = all.flatMap(
  ([collection, { links = {}, lists = {} }]) => [
    ...Object.entries(links).map(([field, to]) => ({
      ...relation,
      from: { collection, field },
      to,
      alias: undefined,
      deselect: 'nullify' as const,
    })),
    ...Object.entries(lists).map(([alias, from]) => {
      const [collectionFrom = '', field = ''] = from.split('.')
      return {
        ...relation,
        from: { collection: collectionFrom, field },
        to: collection,
        alias,
        // A junction row is useless without one of its ends.
        deselect: collectionFrom === 'directus_access' ? ('delete' as const) : ('nullify' as const),
      }
    }),
  ],
)
