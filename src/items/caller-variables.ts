// Caller variables with a path, such as `$CURRENT_USER.department`: a field of the caller's own item, looked up for each call, since it may
// change.
import type { EngineInternals } from '../engine/engine.ts'
import { isEngineError } from '../errors/errors.ts'
import { prepare } from '../prepared/prepare.ts'
import { type Collection, soleKeyOf } from '../schema/model.ts'
import { Cache } from '../values/cache.ts'
import { isRecord } from '../values/guards.ts'
import { memoFor } from '../values/memo.ts'
import {
  type Caller,
  pathsIn,
  readVariable,
  type VariableName,
  variables,
  variableValue,
} from '../vocabulary/variables.ts'
import { readList } from './read/read-list.ts'
import { listRequest } from './read/read-request.ts'

/** True if rules or a query use fields of the caller that have to be looked up. Most do not, and their reads need not wait. */
export function needsCallerVariables(engine: EngineInternals, ...queries: readonly unknown[]): boolean {
  const { scope, lookups } = engine
  if (!scope || Object.keys(lookups).length === 0) return false
  return ruleVariables(engine).length > 0 || queryVariables(engine, queries).length > 0
}

/** Returns an engine with the caller variables of its rules and a query. Rules may read everything, a query only what is visible to the
 *  caller: otherwise a result could reveal a hidden field. */
export async function withCallerVariables(
  engine: EngineInternals,
  ...queries: readonly unknown[]
): Promise<EngineInternals> {
  if (!needsCallerVariables(engine, ...queries)) return engine
  const inQuery = queryVariables(engine, queries)
  const ofRules = await valuesOf(ruleVariables(engine), unlimited(engine.whole()), engine)
  const scoped = engine.knowing({}, ofRules)
  return engine.knowing(await valuesOf(inQuery, upToMost(scoped), engine), ofRules)
}

const ruleVariables = (engine: EngineInternals): readonly string[] =>
  unresolved(engine.scope?.permissions?.paths ?? [], engine.scope?.ruleCaller ?? {}, engine)

const queryVariables = (engine: EngineInternals, queries: readonly unknown[]): readonly string[] =>
  unresolved(queries.flatMap(pathsIn), engine.scope?.caller ?? {}, engine)

/** Returns the engine without list limits, so that the rights of a caller do not end at the maximum length of a list. */
const unlimited = (engine: EngineInternals): EngineInternals =>
  withMost(engine, Number.POSITIVE_INFINITY, memoFor(unlimitedCaches, engine.templates, newCache))

const upToMost = (engine: EngineInternals): EngineInternals =>
  withMost(engine, engine.limits.maxLimit, memoFor(limitedCaches, engine.templates, newCache))

/** Returns the engine with another limit and its own template cache, because statements depend on limits. */
const withMost = (
  engine: EngineInternals,
  most: number,
  templates: EngineInternals['templates'],
): EngineInternals => ({
  ...engine,
  limits: { ...engine.limits, defaultLimit: most, maxLimit: most, nestedRows: Number.POSITIVE_INFINITY },
  templates,
})

const unlimitedCaches = new WeakMap<object, EngineInternals['templates']>()
const limitedCaches = new WeakMap<object, EngineInternals['templates']>()
const newCache = (): EngineInternals['templates'] => new Cache(templatesKept)
const templatesKept = 50

/** Returns variables with paths whose values are not known yet. */
function unresolved(
  paths: readonly string[],
  caller: Caller,
  { lookups }: EngineInternals,
): readonly string[] {
  const { variables: reported = {} } = caller
  return [...new Set(paths)].filter((text) => {
    const variable = readVariable(text)
    if (!variable || lookups[variable.name] === undefined || Object.hasOwn(reported, text)) return false
    return variableValue(variable, { now: new Date(0), caller }) === undefined
  })
}

async function valuesOf(
  texts: readonly string[],
  reader: EngineInternals,
  { scope, lookups }: EngineInternals,
): Promise<Caller['variables']> {
  const found: Record<string, unknown> = {}
  const paths = new Map<VariableName, string[]>()
  for (const text of texts) {
    const { name, path } = readVariable(text) ?? {}
    // A variable that is not found has no value, and is not looked up again.
    found[text] = null
    if (name && path !== undefined) paths.set(name, [...(paths.get(name) ?? []), path])
  }
  for (const [name, fields] of paths) {
    const whose = variables[name].value({ now: new Date(0), caller: scope?.caller ?? {} })
    const collection = reader.schema.collections.get(lookups[name] ?? '')
    if (whose === undefined || whose === null || !collection) continue
    const items = await itemsOf(collection, Array.isArray(whose) ? whose : [whose], fields, reader)
    for (const path of fields) {
      // A mask is no value: it would be the same for all callers.
      if (isConcealed(collection, path.split('.'))) continue
      const values = items.flatMap((item) => valuesAt(item, path.split('.')))
      if (values.length > 0)
        found[`${name}.${path}`] = Array.isArray(whose) || values.length > 1 ? values : values[0]
    }
  }
  return found
}

async function itemsOf(
  collection: Collection,
  keys: readonly unknown[],
  fields: readonly string[],
  reader: EngineInternals,
): Promise<readonly unknown[]> {
  try {
    const { name } = collection
    const query = { fields, filter: { [soleKeyOf(collection).name]: { _in: keys } }, limit: -1 }
    const { data } = await readList(reader, prepare(listRequest(reader, name, query, 'list'), reader), {})
    return data
  } catch (error) {
    // An invalid path has no value, and denies.
    if (isEngineError(error) && (error.code === 'FORBIDDEN' || error.code === 'INVALID_QUERY')) return []
    throw error
  }
}

/** Returns all values at a path, of several items several. */
function valuesAt(item: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (Array.isArray(item))
    return item.flatMap((one: unknown) => valuesAt(one, name === undefined ? [] : [name, ...rest]))
  if (name === undefined) return item === null || item === undefined ? [] : [item]
  return isRecord(item) ? valuesAt(item[name], rest) : []
}

/** True if a path ends in a concealed field. */
function isConcealed({ fields }: Collection, [name = '', ...rest]: readonly string[]): boolean {
  const field = fields.get(name)
  if (!field || field.kind === 'any') return false
  if (field.kind === 'scalar') return field.isConcealed
  return isConcealed(field.target, rest)
}
