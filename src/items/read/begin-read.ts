// The beginning of a read whose selection is a tree: hooks may change its query, and variables of the caller are looked up.
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import type { SelectionTree } from '../../plan/read/selection-tree.ts'
import { needsCallerVariables, withCallerVariables } from '../caller-variables.ts'
import { readHooks } from './read-hooks.ts'
import { fieldsOfTree } from './tree-fields.ts'

type Parameters = Readonly<Record<string, unknown>>

/** A read that has begun. */
export interface BegunRead {
  /** The query after the hooks. */
  readonly query: Parameters
  readonly scoped: EngineInternals
  /** Tells the hooks that it is done; undefined if there are none. */
  readonly after: (() => Promise<void>) | undefined
}

/** Begins a read of a tree. Hooks are asked by the fields that it selects, and may take none of them away. */
export async function beginTree(
  engine: EngineInternals,
  read: { readonly collection: string; readonly query: Parameters; readonly tree: SelectionTree },
): Promise<BegunRead> {
  const { collection, query: given, tree } = read
  const known = engine.schema.collections.get(collection)
  if (!known || !readHooks(engine, collection)) return beginRead(engine, collection, given)
  const { deep, meta, ...level } = given
  const fields = fieldsOfTree(tree, known)
  const begun = await beginRead(engine, collection, { ...level, fields })
  const { fields: left, deep: narrowed, ...query } = begun.query
  const kept: ReadonlySet<unknown> = new Set(Array.isArray(left) ? left : fields)
  const taken = fields.find((field) => !kept.has(field))
  if (taken !== undefined) throw unfollowed(`the field ${quote(taken)}`)
  if (narrowed !== undefined) throw unfollowed('lists inside ("deep")')
  return {
    ...begun,
    query: { ...query, ...(deep !== undefined && { deep }), ...(meta !== undefined && { meta }) },
  }
}

/** Begins any read. */
export async function beginRead(
  engine: EngineInternals,
  collection: string,
  given: Parameters,
): Promise<BegunRead> {
  const hooks = readHooks(engine, collection)
  const query = hooks ? { ...((await hooks.before(given)) ?? given) } : given
  const scoped = needsCallerVariables(engine, query) ? await withCallerVariables(engine, query) : engine
  return { query, scoped, after: hooks && (() => hooks.after(query, undefined)) }
}

/** The error for a hook that would not be followed: what it hides would be shown. */
const unfollowed = (what: string) =>
  fault('FORBIDDEN', `A hook on reads changes ${what}, which a selection that is already made cannot follow.`)
