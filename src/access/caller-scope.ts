// The scope of a caller, derived from its access: the caller, the visible schema and the visible rows.
import { fault, quote, unreachable } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { always, anyOf, decided, isAlways, never, type Predicate } from '../plan/filter/predicate.ts'
import { variableConditions } from '../plan/filter/relation-condition.ts'
import { resolveFilter } from '../plan/filter/resolve-filter.ts'
import type { Template } from '../prepared/templates/compile-template.ts'
import type { TemplateCache } from '../prepared/templates/template-cache.ts'
import type { Collection, Schema } from '../schema/model.ts'
import type { Setting } from '../sql/frame.ts'
import { type View, viewSql } from '../sql/view.ts'
import { Cache } from '../values/cache.ts'
import { deepFreeze } from '../values/freeze.ts'
import { isRecord } from '../values/guards.ts'
import { memoFor, once } from '../values/memo.ts'
import { type Caller, type Circumstances, pathsIn } from '../vocabulary/variables.ts'
import type { Access } from './access.ts'
import { accessOptions, checkAccess, checkVariables, endOf } from './check-access.ts'
import type { VisibleField } from './collection-view.ts'
import { type KnownGrants, type RuleGrants, type RuleRead, readRules } from './rules.ts'
import { textOfRules } from './rules-text.ts'
import { type VisibleSchema, visibleSchema } from './visible-schema.ts'

export interface CallerScope {
  /** The access as the host has given it. */
  readonly access: Access
  readonly caller: Caller
  /** The caller as rules see it: fields that are looked up for rules are not available to queries. */
  readonly ruleCaller: Caller
  /** Limits set by rules. Undefined: everything is allowed. */
  readonly permissions: Permissions | undefined
  /** Milliseconds from which on the caller may do nothing; undefined if that never comes. */
  readonly expiresAt: number | undefined
}

/** The part of a schema that a set of rules allows, for any caller with these rules. */
export interface Permissions {
  /** Rules as the host gave them. */
  readonly rules: unknown
  /** The text of the rules, which is the same for equal ones; undefined if no text can hold them. */
  readonly text: string | undefined
  /** True if what the rules allow does not depend on the time. */
  readonly isTimeless: boolean
  /** Fields of variables that the rules use. */
  readonly paths: readonly string[]
  readonly grants: RuleGrants
  readonly seen: VisibleSchema
  /** The schema without limits, to which the filters of rules refer. */
  readonly whole: Schema
  /** Templates for the visible schema. The caller is bound on each run. */
  readonly templates: TemplateCache<Template>
}

interface ScopeContext {
  readonly schema: Schema
  /** The engine's own collections, which the schema need not describe. */
  readonly others: () => readonly Collection[]
  /** The collection that holds versions, if any collection is versioned. */
  readonly versions: () => Collection | undefined
  /** Names of collections that other engines have, where the same rules are meant for all. */
  readonly foreign?: readonly string[] | undefined
  /** The engine that owns the statements: two engines with one schema may differ in anything else. */
  readonly owner: object
}

/** Reads an access. Rules that were read before are not read again. */
export function callerScope(input: unknown, context: ScopeContext): CallerScope {
  refuseRulesOutside(input)
  const access = checkAccess(input, {
    hint: 'Respond with 401 before; {} sees nothing, and the engine itself sees everything.',
  })
  const caller = callerOf(access)
  const expiresAt = endOf(access)
  if (Object.hasOwn(access, 'admin') && access.admin === true)
    return { access, caller, ruleCaller: caller, permissions: undefined, expiresAt }
  const rules = access.rules ?? nothing
  if (!isRecord(rules))
    throw fault('INVALID_OPTIONS', `Rules are objects, not ${quote(rules)}.`, { path: ['rules'] })
  return { access, caller, ruleCaller: caller, permissions: limitedBy(rules, context), expiresAt }
}

const nothing = {}

function refuseRulesOutside(input: unknown): void {
  if (!isRecord(input) || input.rules !== undefined) return
  const name = Object.keys(input).find((one) => !accessOptions.has(one) && isRecord(input[one]))
  if (name !== undefined)
    throw fault('INVALID_OPTIONS', `There is no option ${quote(name)}.`, {
      path: [name],
      hint: 'Rules by collection stand in "rules": { user, rules: { articles: { read: true } } }.',
    })
}

function callerOf(access: Readonly<Record<string, unknown>>): Caller {
  const { user, role, roles, policies, variables } = access
  for (const [name, list] of Object.entries({ roles, policies }))
    if (list !== undefined && !Array.isArray(list))
      throw fault('INVALID_OPTIONS', `"${name}" of an access is a list.`, { path: [name] })
  if (variables !== undefined && !isRecord(variables))
    throw fault('INVALID_OPTIONS', '"variables" of an access is an object.', { path: ['variables'] })
  checkVariables(variables)
  // Lists and records were checked above; their values are read where a filter compares them.
  return { user, role, roles, policies, variables } as Caller
}

const known = new WeakMap<object, KnownPermissions>()

interface KnownPermissions {
  /** By rules that are frozen. */
  readonly byObject: WeakMap<object, Permissions>
  readonly byText: Cache<Permissions>
  readonly grants: KnownGrants
  /** Rules that were equal to others, and are not frozen yet. */
  readonly equal: WeakSet<object>
}

/** Maximum number of characters of all texts. What is made of rules takes about 25 bytes for each. */
const charactersKept = 1_000_000

const newKnown = (): KnownPermissions => ({
  byObject: new WeakMap(),
  byText: new Cache(charactersKept, (text) => text.length),
  grants: new WeakMap(),
  equal: new WeakSet(),
})

/** Returns the limits that rules set. Equal rules of another object have the same, and are read only once. */
function limitedBy(rules: Readonly<Record<string, unknown>>, context: ScopeContext): Permissions {
  const { byObject, byText, grants, equal } = memoFor(known, context.owner, newKnown)
  const found = byObject.get(rules)
  if (found) return found
  const text = textOfRules(rules)
  const alike = text === undefined ? undefined : byText.get(text)
  if (alike && !equal.has(rules)) {
    // An object that is used for one call alone is not worth to be remembered.
    equal.add(rules)
    return alike
  }
  const limits = alike ?? newPermissions(rules, text, context, grants)
  if (text !== undefined) byText.set(text, limits)
  // An object that is remembered is not read again, so that a later change would have no effect. Frozen, it throws on one.
  byObject.set(deepFreeze(rules), limits)
  return limits
}

function newPermissions(
  rules: Readonly<Record<string, unknown>>,
  text: string | undefined,
  { schema, others, versions, foreign }: ScopeContext,
  known: KnownGrants,
): Permissions {
  const own = others()
  const grants = readRules(rules, schema, own, { known, foreign })
  const seen = visibleSchema(schema, own, grants, sharing(versions(), schema))
  return {
    rules,
    text,
    isTimeless: text?.includes('$NOW') === false && !variableConditions(schema).includes('$NOW'),
    paths: [...new Set(pathsIn(rules))],
    grants,
    seen,
    whole: schema,
    templates: new Cache(templatesKept),
  }
}

/** Returns the collection and all others in the schema with the same table. Names that may mean the same table count as the same. */
function sharing(collection: Collection | undefined, { collections }: Schema): ReadonlySet<Collection> {
  if (!collection) return new Set()
  const { table, dbSchema } = collection
  const isAlike = (one: Collection) =>
    one.table.toLowerCase() === table.toLowerCase() &&
    (one.dbSchema === dbSchema || one.dbSchema === undefined || dbSchema === undefined)
  return new Set([collection, ...[...collections.values()].filter(isAlike)])
}

/** Maximum number of templates per set of rules. */
const templatesKept = 200

/** Returns a function that yields the visible rows of each collection. */
export function rowsSeen(
  { seen, whole }: Permissions,
  circumstances: Circumstances,
): NonNullable<Setting['rowsOf']> {
  const views = new Map<Collection, View>()
  return (frame) => {
    const shown = seen.shown.get(frame.collection)
    // Without a view the table would be read without any rule.
    if (!shown) throw unreachable(`${frame.collection.name} is read, and not seen`)
    const view = views.get(frame.collection) ?? viewOf(shown, whole, circumstances)
    views.set(frame.collection, view)
    return viewSql(view, frame)
  }
}

export function viewIn(
  seen: Collection,
  { seen: { shown }, whole }: Permissions,
  circumstances: Circumstances,
): View | undefined {
  const found = shown.get(seen)
  return found && viewOf(found, whole, circumstances)
}

function viewOf({ of, rules, partly }: VisibleField, whole: Schema, circumstances: Circumstances): View {
  const oneOf = (some: readonly RuleRead[]) => {
    // One that allows all makes it unimportant what the others compare.
    if (some.some(({ filter }) => !filter)) return always
    const parts = some.map((rule) => rulePredicate(rule, of, whole, circumstances))
    return parts.some(isAlways) ? always : decided(anyOf(parts))
  }
  return {
    of,
    rows: oneOf(rules),
    // Columns that the query does not read: variables of the caller are not loaded for them.
    partly: [...partly].map(([name, { column, rules: granting }]) => {
      const where = once(() => oneOf(granting))
      return {
        name,
        column,
        get where() {
          return where()
        },
      }
    }),
  }
}

export function rulePredicate(
  { filter, path }: RuleRead,
  collection: Collection,
  schema: Schema,
  circumstances: Circumstances,
): Predicate {
  if (!filter) return always
  const problems = new Problems('INVALID_QUERY')
  const predicate = resolveFilter(filter, collection, [...path, 'filter'], {
    schema,
    circumstances,
    problems,
    use: 'query',
  })
  // Mistakes in the filter were refused when the rules were read. Should there still be one, the rule allows no row.
  return problems.isEmpty ? predicate : never
}
