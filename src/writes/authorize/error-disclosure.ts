// Limits what errors disclose to the writer of an item: fields that are visible to them or that they named, and no values but their own.
import { type EngineError, fault } from '../../errors/errors.ts'
import { attempt } from '../../execution/report-errors.ts'
import type { Disclosure } from '../../plan/filter/validate-row.ts'
import { notPassing } from '../../plan/write/validate-item.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection, Field } from '../../schema/model.ts'
import { permissionsOf, type WriteContext } from '../context/write-context.ts'

/** Returns what an error may disclose about an item. `hidden`: collects errors that must not be disclosed. */
export function errorDisclosure(item: ItemWrite, writing: WriteContext, hidden: EngineError[]): Disclosure {
  const { path, payload, named, collection } = item
  return {
    collection,
    path,
    payload: Object.fromEntries(named.map((name) => [name, payload[name]])),
    isKnown: (name) => named.includes(name) || mayBeNamed(collection, { name }, writing),
    hide: (failure) => hidden.push(failure),
  }
}

/** Returns a failure of the item's own validation as it may be disclosed to its writer. */
export function disclosableFields(failure: EngineError, item: ItemWrite, writing: WriteContext): EngineError {
  const { collection, path, named } = item
  const { field, invalid } = failure.extensions
  if (!permissionsOf(writing) || typeof field !== 'string') return failure
  if (named.includes(field)) return failure
  tellHost([failure], writing)
  if (!mayBeNamed(collection, { name: field }, writing)) return notPassing(collection, path)
  const { invalid: _invalid, ...extensions } = failure.extensions
  return invalid === undefined
    ? failure
    : fault(failure.code, failure.message, { path: failure.path, extensions })
}

/** Reports to the host errors that are not disclosed to the caller. */
export function tellHost(hidden: readonly unknown[], { engine }: WriteContext): void {
  for (const failure of hidden) void attempt(() => Promise.reject(failure), undefined, engine.onError)
}

/** True if a field may be named to the caller: it is visible, at least on some rows, or the caller may write it. */
export function mayBeNamed(
  collection: Collection,
  { name }: Pick<Field, 'name'>,
  writing: WriteContext,
): boolean {
  const permissions = permissionsOf(writing)
  if (!permissions || collection.isSeen || permissions.seen.of.get(collection)?.fields.has(name)) return true
  const { create = [], update = [] } = permissions.grants.get(collection) ?? {}
  return [...create, ...update].some(({ fields }) => fields.has(name))
}
