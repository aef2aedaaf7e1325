// The beginning of every read: hooks may change its query, and variables of the caller are looked up.
import type { EngineInternals } from '../../engine/engine.ts'
import type { ItemChange } from '../../engine/events.ts'
import { fault, quote } from '../../errors/errors.ts'
import type { SelectionTree, TreeMember } from '../../plan/read/selection-tree.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'
import { needsCallerVariables, withCallerVariables } from '../caller-variables.ts'
import { type CursorRead, needsCursorValues, withCursorValues } from './cursor-values.ts'
import { type ReadHooks, readHooks } from './read-hooks.ts'
import { requireQuery } from './read-request.ts'

export interface BegunRead<Query> {
  readonly query: Query
  readonly scoped: EngineInternals
  /** Calls the hooks with what was read; undefined if there are none. */
  readonly after: ((items: ItemChange['items']) => Promise<void>) | undefined
}

/** Begins a read, without a promise if there is nothing to wait for. */
export function beginRead<Query extends object | undefined>(
  engine: EngineInternals,
  collection: string,
  query: Query,
  tree?: SelectionTree,
): BegunRead<Query> | Promise<BegunRead<Query>> {
  const hooks = readHooks(engine, collection)
  if (hooks || needsCallerVariables(engine, query) || needsCursorValues(query))
    return beginLater(engine, hooks, { collection, query, tree })
  return { query, scoped: engine, after: undefined }
}

async function beginLater<Query extends object | undefined>(
  engine: EngineInternals,
  hooks: ReadHooks | undefined,
  read: CursorRead<Query>,
): Promise<BegunRead<Query>> {
  // The query of a hook is checked like any other. An invalid one must not be taken for one that asks for everything.
  const query = hooks ? ((await hooks.before(read.query)) as Query) : read.query
  if (hooks) requireQuery(query ?? {})
  const scoped = await withCallerVariables(engine, query)
  const after: BegunRead<Query>['after'] = hooks && ((items) => hooks.after(query, items))
  return { query: await withCursorValues(scoped, { ...read, query }), scoped, after }
}

type Parameters = Readonly<Record<string, unknown>>

/** Begins a read whose selection is a tree. Hooks are asked by the fields that it selects, and may take none of them away. */
export async function beginTree(
  engine: EngineInternals,
  read: { readonly collection: string; readonly query: Parameters; readonly tree: SelectionTree },
): Promise<BegunRead<Parameters>> {
  const { collection, query: payload, tree } = read
  const known = engine.schema.collections.get(collection)
  if (!known || !readHooks(engine, collection)) return beginRead(engine, collection, payload, tree)
  const { deep, meta, ...level } = payload
  const fields = fieldsOfTree(tree, known)
  const begun = await beginRead<Parameters>(engine, collection, { ...level, fields })
  const { fields: left, deep: narrowed, ...query } = begun.query
  const kept: ReadonlySet<unknown> = new Set(Array.isArray(left) ? left : fields)
  const taken = fields.find((field) => !kept.has(field))
  if (taken !== undefined) throw unfollowed(`the field ${quote(taken)}`)
  if (narrowed !== undefined) throw unfollowed('lists inside ("deep")')
  const whole = { ...query, ...(deep !== undefined && { deep }), ...(meta !== undefined && { meta }) }
  return { ...begun, query: await withCursorValues(begun.scoped, { collection, query: whole, tree }) }
}

/** The error for a hook that would not be followed: what it hides would be shown. */
const unfollowed = (what: string) =>
  fault('FORBIDDEN', `A hook on reads changes ${what}, which a selection that is already made cannot follow.`)

// Fields of a selection that is a tree, as paths: so hooks on reads know them.

/** Returns what a tree reads of a collection, as `fields` would name it. */
const fieldsOfTree = ({ members }: SelectionTree, collection: Collection): readonly string[] => [
  ...new Set(members.flatMap((member) => fieldsOf(member, collection))),
]

function fieldsOf(member: TreeMember, collection: Collection): readonly string[] {
  switch (member.kind) {
    case 'constant':
    case 'cursor':
      return []
    case 'key':
      return keyFieldsOf(collection).map(({ name }) => name)
    case 'value':
      return [member.field]
    case 'group':
      return member.members.flatMap((inner) => fieldsOf(inner, collection))
    case 'items':
      return below(member.field, member.members, targetOf(member.field, collection))
    default:
      return member.arms.flatMap((arm) =>
        below(
          `${member.field}:${arm.collection}`,
          arm.members,
          armOf(member.field, arm.collection, collection),
        ),
      )
  }
}

/** A relation without selected fields is read all the same. */
function below(
  name: string,
  members: readonly TreeMember[],
  target: Collection | undefined,
): readonly string[] {
  const inner = target ? members.flatMap((member) => fieldsOf(member, target)) : []
  return inner.length === 0 ? [name] : inner.map((field) => `${name}.${field}`)
}

function targetOf(name: string, { fields }: Collection): Collection | undefined {
  const field = fields.get(name)
  return field && 'target' in field ? field.target : undefined
}

function armOf(name: string, arm: string, { fields }: Collection): Collection | undefined {
  const field = fields.get(name)
  return field?.kind === 'any' ? field.targets.get(arm) : undefined
}
