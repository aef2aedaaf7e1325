// Lock of a singleton: of two calls that create its item at the same time only one must succeed.

import { render } from '../../dialects/sql.ts'
import { fault } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { isHosts } from '../../execution/transaction/isolation-level.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import { always } from '../../plan/filter/predicate.ts'
import { type Key, keyIdentity } from '../../plan/key.ts'
import { wholeList } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { permissionsOf, type WriteContext } from '../context/write-context.ts'
import { lockVisible } from '../stored/lock-rows.ts'
import { selectedKeys } from '../stored/select-keys.ts'

/** Returns the key of the only item, which no other transaction can create or change until this one ends. */
export async function onlyKey(collection: Collection, writing: WriteContext): Promise<Key | undefined> {
  const { dialect } = writing.engine
  const hold = dialect.lockTable?.(collection)
  if (hold) await execute(writing.engine, render(hold, dialect), writing.options)
  const [key] = await selectedKeys(firstOf(collection), writing)
  if (key === undefined) await refuseUnlessPresent(collection, writing)
  return key
}

/** Returns the key of the only item, for a caller who changes it or creates it. An item that is hidden from a caller who may not create one is
 *  not waited for. */
export async function keyToChange(collection: Collection, writing: WriteContext): Promise<Key | undefined> {
  const permissions = permissionsOf(writing)
  if (!permissions) return onlyKey(collection, writing)
  const seen = permissions.seen.of.get(collection)
  const [key] = seen ? await selectedKeys(firstOf(seen), { ...writing, engine: writing.caller }) : []
  const held = key !== undefined && (await lockVisible(collection, { keys: [key] }, writing))
  if (key !== undefined && (!held || held.has(keyIdentity(key)))) return key
  return rulesFor(permissions, collection, 'create').length > 0 ? onlyKey(collection, writing) : undefined
}

/** Refuses to conclude that there is no item in a transaction that might not see one that was committed since it began. */
async function refuseUnlessPresent({ name }: Collection, { engine, options }: WriteContext): Promise<void> {
  const { isolation } = engine.dialect
  if (!isolation || !isHosts(engine)) return
  const [row] = await execute(engine, render(isolation.ofThis, engine.dialect), options)
  const level = Object.values(Object(row))[0]
  if (level === 'read committed') return
  throw fault(
    'INVALID_OPTIONS',
    `The first item of "${name}" cannot be created in a transaction at ${level}.`,
    {
      hint: 'Create it outside of the transaction, or begin that as READ COMMITTED.',
    },
  )
}

function firstOf(collection: Collection): ListPlan {
  const list = wholeList(collection, always)
  return { ...list, order: byKey(collection), page: { ...list.page, limit: 1 } }
}

const byKey = (collection: Collection) =>
  keyFieldsOf(collection).map((field) => ({
    kind: 'value' as const,
    value: { route: [], subject: fieldSubject(field), path: [] },
    isDescending: false,
  }))

export async function refuseSecondItem(
  collection: Collection,
  more: number,
  writing: WriteContext,
): Promise<void> {
  const isThere = (await onlyKey(collection, writing)) !== undefined
  if (more > (isThere ? 0 : 1))
    throw fault('INVALID_PAYLOAD', `"${collection.name}" is a singleton and has one item.`, {
      hint: 'Change it with updateSingleton.',
    })
}
