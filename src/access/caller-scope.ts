// What an access makes of an engine: who asks, which schema they see, and which rows of it.
import { fault, quote, unreachable } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { always, anyOf, decided, isAlways, never, type Predicate } from '../plan/predicate.ts'
import { resolveFilter } from '../plan/resolve-filter.ts'
import type { Template } from '../prepared/compile-template.ts'
import type { TemplateCache } from '../prepared/template-cache.ts'
import type { Collection, Schema } from '../schema/model.ts'
import type { Setting } from '../sql/frame.ts'
import { type View, viewSql } from '../sql/view.ts'
import { Cache } from '../values/cache.ts'
import { deepFreeze } from '../values/freeze.ts'
import { memoFor } from '../values/memo.ts'
import { isRecord } from '../values/record.ts'
import { type Caller, type Circumstances, pathsIn } from '../vocabulary/variables.ts'
import { checkAccess, type RuleGrants, type RuleRead, readRules } from './rules.ts'
import { type VisibleField, type VisibleSchema, visibleSchema } from './visible-schema.ts'

export interface CallerScope {
  readonly caller: Caller
  /** The caller as rules know them: what is looked up for rules is not for queries. */
  readonly ruleCaller: Caller
  /** Undefined: everything is allowed. */
  readonly limits: Limited | undefined
}

/** What rules leave of a schema, whoever asks by them. */
export interface Limited {
  /** As the host gave them. */
  readonly rules: unknown
  /** The fields of variables that they speak of. */
  readonly paths: readonly string[]
  readonly grants: RuleGrants
  readonly seen: VisibleSchema
  /** The schema without rules, which rules themselves speak of. */
  readonly whole: Schema
  /** Statements for what is seen. Who asks is filled in each time. */
  readonly templates: TemplateCache<Template>
}

/** What rules are read for. */
export interface ScopeGround {
  readonly schema: Schema
  /** Collections of the engine's own, which the schema need not describe. */
  readonly others: () => readonly Collection[]
  /** That which holds versions, where anything has versions. */
  readonly versions: () => Collection | undefined
  /** Whose statements are made for them: two engines of one schema may differ in anything else. */
  readonly owner: object
}

/** Reads an access. Rules that were read before are not read again. */
export function callerScope(given: unknown, ground: ScopeGround): CallerScope {
  const access = checkAccess(given)
  const caller = callerOf(access)
  if (Object.hasOwn(access, 'admin') && access.admin === true)
    return { caller, ruleCaller: caller, limits: undefined }
  const rules = access.rules ?? nothing
  if (!isRecord(rules))
    throw fault('INVALID_OPTIONS', `Rules are objects, not ${quote(rules)}.`, { path: ['rules'] })
  return { caller, ruleCaller: caller, limits: limitedBy(rules, ground) }
}

const nothing = {}

function callerOf(access: Readonly<Record<string, unknown>>): Caller {
  const { user, role, roles, policies, variables } = access
  for (const [name, list] of Object.entries({ roles, policies }))
    if (list !== undefined && !Array.isArray(list))
      throw fault('INVALID_OPTIONS', `"${name}" of an access is a list.`, { path: [name] })
  if (variables !== undefined && !isRecord(variables))
    throw fault('INVALID_OPTIONS', '"variables" of an access is an object.', { path: ['variables'] })
  // Lists and records, as was seen; their values are read where a filter compares them.
  return { user, role, roles, policies, variables } as Caller
}

const known = new WeakMap<object, WeakMap<object, Limited>>()

function limitedBy(
  rules: Readonly<Record<string, unknown>>,
  { schema, others, versions, owner }: ScopeGround,
): Limited {
  const ofOwner = memoFor(known, owner, () => new WeakMap())
  const found = ofOwner.get(rules)
  if (found) return found
  const own = others()
  const grants = readRules(rules, schema, own)
  // Changed later, they would not be read again; so who tries is told.
  deepFreeze(rules)
  const seen = visibleSchema(schema, own, grants, sharing(versions(), schema))
  const made: Limited = {
    rules,
    paths: [...new Set(pathsIn(rules))],
    grants,
    seen,
    whole: schema,
    templates: new Cache(templatesKept),
  }
  ofOwner.set(rules, made)
  return made
}

/** A collection, and whatever else the schema describes its table by. Names that may mean the same table count as the same. */
function sharing(collection: Collection | undefined, { collections }: Schema): ReadonlySet<Collection> {
  if (!collection) return new Set()
  const { table, dbSchema } = collection
  const isAlike = (one: Collection) =>
    one.table.toLowerCase() === table.toLowerCase() &&
    (one.dbSchema === dbSchema || one.dbSchema === undefined || dbSchema === undefined)
  return new Set([collection, ...[...collections.values()].filter(isAlike)])
}

/** For each set of rules. */
const templatesKept = 200

/** The rows that are seen of each collection. */
export function rowsSeen(
  { seen, whole }: Limited,
  circumstances: Circumstances,
): NonNullable<Setting['rowsOf']> {
  const views = new Map<Collection, View>()
  return (frame) => {
    const shown = seen.shown.get(frame.collection)
    // Its table would be read without any rule.
    if (!shown) throw unreachable(`${frame.collection.name} is read, and not seen`)
    const view = views.get(frame.collection) ?? viewOf(shown, whole, circumstances)
    views.set(frame.collection, view)
    return viewSql(view, frame)
  }
}

/** What is seen of one collection. */
export function viewIn(
  seen: Collection,
  { seen: { shown }, whole }: Limited,
  circumstances: Circumstances,
): View | undefined {
  const found = shown.get(seen)
  return found && viewOf(found, whole, circumstances)
}

function viewOf({ of, rules, partly }: VisibleField, whole: Schema, circumstances: Circumstances): View {
  const oneOf = (some: readonly RuleRead[]) => {
    const parts = some.map((rule) => rulePredicate(rule, of, whole, circumstances))
    return parts.some(isAlways) ? always : decided(anyOf(parts))
  }
  return {
    of,
    rows: oneOf(rules),
    partly: [...partly].map(([name, { column, rules: granting }]) => ({
      name,
      column,
      where: oneOf(granting),
    })),
  }
}

/** The items that a rule speaks of. */
export function rulePredicate(
  { filter, path }: RuleRead,
  collection: Collection,
  schema: Schema,
  circumstances: Circumstances,
): Predicate {
  if (!filter) return always
  const problems = new Problems('INVALID_QUERY')
  const predicate = resolveFilter(filter, collection, path, { schema, circumstances, problems, use: 'query' })
  // Whatever could be wrong with it was refused when the rules were read. If anything is all the same, nobody sees a row by it.
  return problems.isEmpty ? predicate : never
}
