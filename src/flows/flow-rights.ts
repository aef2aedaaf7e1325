// The rights of flows: with which engine their operations work, and what the author of a row sees of what others write.
import type { Access, Action } from '../access/access.ts'
import type { RuleRead } from '../access/rules.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import type { EventName, ItemChange } from '../engine/events.ts'
import { fault } from '../errors/errors.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { eachChild, targetIn } from '../plan/write/mask-secrets.ts'
import { type Collection, type Field, isToMany, keyFieldsOf } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import type { Caller } from '../vocabulary/variables.ts'
import { trusted } from './check/check-context.ts'
import type { FlowStarter, FlowsOptions } from './flow-options.ts'
import { seenAmong } from './operations/chosen-items.ts'
import type { RunStarter } from './outside/starts.ts'
import { badOption } from './reject.ts'
import type { RunOrigin } from './runs/run-row.ts'
import type { BoundFlow } from './triggers/bind-triggers.ts'
import type { AuthorLimits } from './triggers/trigger-value.ts'

/** Milliseconds for which rights are kept: a flow before a write asks for them under its locks. */
const keptMs = 10_000
/** Maximum number of authors whose rights are kept. */
const mostKept = 1_000

export class FlowRights {
  readonly #access: FlowsOptions['access']
  /** Rights of the authors of rows, as the host has said. */
  readonly #kept = new Map<
    string | number,
    { readonly access: Promise<Access | null>; readonly until: number }
  >()

  constructor(access: FlowsOptions['access']) {
    this.#access = access
  }

  async engineFor(word: string, engine: Engine, author: BoundFlow['author']): Promise<Engine> {
    if (word === 'caller') return engine
    if (word === 'full') return internalsOf(engine).whole().asEngine()
    const found = await this.#accessOf(word, () => runStarter(callerOf(engine)), author)
    if (!found) throw fault('FORBIDDEN', 'The rights of this flow no longer exist.')
    return engineOf(engine, found)
  }

  asksHost(word: string, { isHost }: RunOrigin): boolean {
    return word !== 'full' && word !== 'nobody' && !(word === 'caller' && isHost)
  }

  /** Returns what gives an engine the rights of a word, for a run whose caller has gone. */
  async rightsForRun(word: string, origin: RunOrigin): Promise<RunRights> {
    const whole = (engine: Engine) => internalsOf(engine).whole().asEngine()
    const { caller, isHost, author, as } = origin
    if (word === 'full' || (word === 'caller' && isHost)) return whole
    const { access: name, author: whose } = word === 'caller' && as ? as : { access: word, author }
    if (!this.#access && name !== 'nobody')
      throw badOption('The rights of callers of past requests are not known: give createFlows "access".')
    const found = await this.#accessOf(name, () => caller, whose)
    if (!found) throw fault('FORBIDDEN', 'The rights of this run no longer exist.')
    return (engine) => whole(engine).as(found)
  }

  async #accessOf(
    word: string,
    starter: () => FlowStarter,
    author: BoundFlow['author'],
  ): Promise<Access | null> {
    if (word === 'nobody') return {}
    if (word === 'author') return author === undefined ? null : this.#authorsAccess(author)
    const { user, role } = starter()
    return this.#accessBy(word, { user, role })
  }

  #authorsAccess(author: string | number): Promise<Access | null> {
    if (!this.#access) throw badOption('The rights of authors are not known: give createFlows "access".')
    const now = performance.now()
    const known = this.#kept.get(author)
    if (known && known.until > now) return known.access
    const access = this.#accessBy('author', { user: author, role: null })
    if (this.#kept.size >= mostKept) this.#kept.clear()
    this.#kept.set(author, { access, until: now + keptMs })
    // The flow that has asked fails with the error; the next one asks again.
    access.catch(() => this.#kept.delete(author))
    return access
  }

  async #accessBy(word: string, starter: FlowStarter): Promise<Access | null> {
    return (await this.#access?.(word, starter)) ?? null
  }

  /** Returns what a flow sees and may write of an event; `none` if the event does not trigger it, undefined if it has no limits. */
  async limitsFor(
    { flow, author, isRow }: BoundFlow,
    { event, collection: name, keys }: ItemChange,
    engine: () => Engine,
  ): Promise<AuthorLimits | 'none' | undefined> {
    if (!isRow || trusted.includes(flow.access)) return undefined
    const starter = () => runStarter(callerOf(engine()))
    const access = await this.#accessOf(author === undefined ? flow.access : 'author', starter, author)
    if (!access) return 'none'
    const theirs = engineOf(engine(), access)
    const collection = internalsOf(theirs).schema.collections.get(name)
    const isOfStored = event === 'items.update' || event === 'items.promote'
    const isStored =
      isOfStored ||
      (flow.trigger.on === 'items' && flow.trigger.when !== 'before' && event === 'items.create')
    const isSeen = isStored ? await seesItems(theirs, name, keys) : seesAll(theirs, name)
    if (!isSeen || !collection) return 'none'
    return limitsOf(theirs, collection, actions[event])
  }
}

/** Actions of an author whose flow replaces the payload of an event. */
const actions: Partial<Record<EventName, 'create' | 'update'>> = {
  'items.create': 'create',
  'items.update': 'update',
}

/** Gives an engine the rights of an operation. */
export type RunRights = (engine: Engine) => Engine

const engineOf = (engine: Engine, access: Access): Engine => internalsOf(engine).whole().asEngine().as(access)

/** Returns a caller as the data chain shows them, and as a run keeps them. */
export const runStarter = ({
  user = null,
  role = null,
  roles = [],
  admin = false,
}: ReturnType<typeof callerOf>): RunStarter => ({ user, role, roles, admin })

/** Returns the caller of an engine. `isStranger`: without the variables that only the caller's own queries may use. */
export function callerOf(engine: Engine, isStranger = false): Caller & { readonly admin?: boolean } {
  const { scope } = internalsOf(engine)
  if (!scope) return {}
  const { variables, ...caller } = scope.caller
  return { ...caller, ...(!isStranger && { variables }), admin: scope.permissions === undefined }
}

/** Returns what the author of a flow sees and may write of the items of a collection. `action`: undefined if nothing is to be written. */
function limitsOf(
  engine: Engine,
  collection: Collection,
  action: 'create' | 'update' | undefined,
): AuthorLimits {
  const seen = fieldsSeen(engine, collection.name)
  const rules = action ? rulesFor(engine, collection.name, action) : []
  // Those of any row, and with any value.
  const open = rules?.filter(({ filter, validation }) => !filter && !validation)
  return {
    seen,
    writable: open && new Set(open.flatMap(({ fields }) => [...fields])),
    isKeySeen: !seen || !collection.key || keyFieldsOf(collection).every(({ name }) => seen.has(name)),
    shown: (payload) => seenPayload(engine, collection, payload),
  }
}

/** Returns the rules for an action; undefined if everything is allowed. */
function rulesFor(engine: Engine, collection: string, action: Action): readonly RuleRead[] | undefined {
  const permissions = internalsOf(engine).scope?.permissions
  if (!permissions) return undefined
  const whole = permissions.whole.collections.get(collection)
  return (whole && permissions.grants.get(whole)?.[action]) ?? []
}

/** True if every row of a collection is seen. */
function seesAll(engine: Engine, collection: string): boolean {
  const rules = rulesFor(engine, collection, 'read')
  return !rules || rules.some(({ filter }) => !filter)
}

async function seesItems(engine: Engine, collection: string, keys: readonly unknown[]): Promise<boolean> {
  if (seesAll(engine, collection)) return true
  const rules = rulesFor(engine, collection, 'read')
  if (rules?.length === 0) return false
  for await (const { count, seen } of seenAmong(engine, collection, keys))
    if (seen.length < count) return false
  return true
}

/** Returns the names of the fields that are seen on every row that is; undefined for all. */
function fieldsSeen(engine: Engine, collection: string): ReadonlySet<string> | undefined {
  const rules = rulesFor(engine, collection, 'read')
  if (!rules) return undefined
  const [first, ...others] = rules
  const everywhere = [...(first?.fields ?? [])].filter((name) =>
    others.every(({ fields }) => fields.has(name)),
  )
  return new Set([
    ...everywhere,
    ...rules.filter(({ filter }) => !filter).flatMap(({ fields }) => [...fields]),
  ])
}

/** Returns what is seen of a payload. Of related items something is seen only where all of them are. */
function seenPayload(engine: Engine, collection: Collection, payload: ItemData): ItemData {
  const seen = fieldsSeen(engine, collection.name)
  return Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) => {
      if (seen && !seen.has(name)) return []
      const shown = seenValue(engine, collection.fields.get(name), value, payload)
      return shown === undefined ? [] : [[name, shown]]
    }),
  )
}

function seenValue(engine: Engine, field: Field | undefined, value: unknown, item: ItemData): unknown {
  // Fields that lead to what the author never sees are not there for them.
  if (!field) return undefined
  if (field.kind === 'scalar') return value
  if (isToMany(field)) {
    const { target } = field
    return seesAll(engine, target.name)
      ? eachChild(value, (one) => seenPayload(engine, target, one))
      : undefined
  }
  if (!isRecord(value)) return value
  const target = targetIn(field, item)
  return target && seesAll(engine, target.name) ? seenPayload(engine, target, value) : undefined
}
