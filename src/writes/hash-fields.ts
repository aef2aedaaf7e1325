// Hashes secrets one-way, so that the plain text is never stored.

import type { ItemData } from '../plan/write/changes.ts'
import { storedFieldsOf } from '../plan/write/defaults.ts'
import type { ItemWrite } from '../plan/write/write-plan.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import { promisify, randomBytes, scrypt } from '../values/from-node.ts'

/** Fields that are hashed already, by item. */
export type Hashed = WeakMap<ItemWrite, Set<StoredField>>

/** Replaces secrets by their hashes. Items with a common payload share its hash, which is computed once. */
export async function hashFields(items: readonly ItemWrite[], done: Hashed): Promise<void> {
  const made = new Map<ItemData, Map<string, Promise<string>>>()
  const collections = new Set(items.map(({ collection }) => collection))
  const keeping = new Set([...collections].filter(keepsSecrets))
  if (keeping.size === 0) return
  const concerned = items.filter(({ collection }) => keeping.has(collection))
  const secrets = concerned.flatMap((item) =>
    [...item.values].flatMap(([field, value]) =>
      field.value.family === 'hash' && typeof value === 'string' && !done.get(item)?.has(field)
        ? [{ item, payload: item.payload, values: item.values, field, value }]
        : [],
    ),
  )
  const hashes = secrets.map(({ payload, field, value }) => {
    const known = made.get(payload) ?? new Map<string, Promise<string>>()
    // Rules may fill in different secrets of items with a common payload.
    const name = `${field.name}\n${value}`
    const hash = known.get(name) ?? hashed(value)
    made.set(payload, known.set(name, hash))
    return hash
  })
  for (const [at, hash] of (await Promise.all(hashes)).entries()) {
    const { item, values, field } = secrets[at] ?? {}
    if (!item || !values || !field) continue
    values.set(field, hash)
    done.set(item, (done.get(item) ?? new Set()).add(field))
  }
}

const keepsSecrets = (collection: Collection): boolean =>
  storedFieldsOf(collection).some(({ value }) => value.family === 'hash')

/** Binary logarithm of the memory of a hash, in blocks of 8: 16 MiB. */
const cost = 14
const derive = promisify<string, Buffer, number, Readonly<Record<'N' | 'r' | 'p', number>>, Buffer>(scrypt)

/** Returns a hash in the usual form `$scrypt$ln=14,r=8,p=1$salt$hash`, so that any library can check a secret against it. */
async function hashed(secret: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(secret, salt, 32, { N: 2 ** cost, r: 8, p: 1 })
  return `$scrypt$ln=${cost},r=8,p=1$${plain(salt)}$${plain(hash)}`
}

const plain = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
