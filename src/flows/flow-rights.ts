// The rights of flows: with which engine their operations work, and what the author of a row sees of what others write.
import type { Access } from '../access/access.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import type { EventName } from '../engine/events.ts'
import { fault } from '../errors/errors.ts'
import type { Caller } from '../vocabulary/variables.ts'
import { trusted } from './check/check-context.ts'
import type { FlowStarter, FlowsOptions } from './flow-options.ts'
import type { RunStarter } from './outside/starts.ts'
import { badOption } from './reject.ts'
import type { RunOrigin } from './runs/run-row.ts'
import { limitsOf, seesAll, seesItems } from './triggers/author-rights.ts'
import type { BoundFlow } from './triggers/bind-triggers.ts'
import type { AuthorLimits, Happening } from './triggers/trigger-value.ts'

export class FlowRights {
  readonly #access: FlowsOptions['access']
  readonly #authors: AuthorAccess

  constructor(access: FlowsOptions['access']) {
    this.#access = access
    this.#authors = new AuthorAccess(access)
  }

  /** Returns the engine with the rights of a word. */
  async engineFor(word: string, engine: Engine, author: BoundFlow['author']): Promise<Engine> {
    if (word === 'caller') return engine
    if (word === 'full') return internalsOf(engine).whole().asEngine()
    const found = await this.#accessOf(word, () => runStarter(callerOf(engine)), author)
    if (!found) throw fault('FORBIDDEN', 'Nobody has the rights of this flow any more.')
    return engineOf(engine, found)
  }

  /** True if the host is asked for the rights that a word has in a run. */
  asksHost(word: string, { isHost }: RunOrigin): boolean {
    return word !== 'full' && word !== 'nobody' && !(word === 'caller' && isHost)
  }

  /** Returns what gives an engine the rights of a word, for a run whose caller has gone. */
  async rightsForRun(word: string, origin: RunOrigin): Promise<RunRights> {
    const whole = (engine: Engine) => internalsOf(engine).whole().asEngine()
    const { caller, isHost, author, as } = origin
    if (word === 'full' || (word === 'caller' && isHost)) return whole
    const { access: name, author: whose } = word === 'caller' && as ? as : { access: word, author }
    const found = await this.#keptAccess(name, caller, whose)
    if (!found) throw fault('FORBIDDEN', 'Nobody has the rights of this run any more.')
    return (engine) => whole(engine).as(found)
  }

  async #keptAccess(word: string, caller: FlowStarter, author: BoundFlow['author']): Promise<Access | null> {
    if (!this.#access && word !== 'nobody')
      throw badOption('Nobody knows the rights of callers who have gone: give createFlows "access".')
    return this.#accessOf(word, () => caller, author)
  }

  async #accessOf(
    word: string,
    starter: () => FlowStarter,
    author: BoundFlow['author'],
  ): Promise<Access | null> {
    if (word === 'nobody') return {}
    if (word === 'author') return author === undefined ? null : this.#authors.of(author)
    const { user, role } = starter()
    return (await this.#access?.(word, { user, role })) ?? null
  }

  /** Returns what a flow sees and may write of an event; `none` if it hears nothing of it, undefined if it has no limits. */
  async limitsFor(
    { flow, author, isRow }: BoundFlow,
    { event, collection: name, keys }: Happening,
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

/** Milliseconds for which rights are kept: a flow before a write asks for them under its locks. */
const keptMs = 10_000
/** Maximum number of authors whose rights are kept. */
const mostKept = 1_000

/** Rights of the authors of rows, as the host tells them. */
class AuthorAccess {
  readonly #access: FlowsOptions['access']
  readonly #kept = new Map<
    string | number,
    { readonly access: Promise<Access | null>; readonly until: number }
  >()

  constructor(access: FlowsOptions['access']) {
    this.#access = access
  }

  /** Returns the rights of an author; null if they have none. */
  of(author: string | number): Promise<Access | null> {
    const now = performance.now()
    const known = this.#kept.get(author)
    if (known && known.until > now) return known.access
    const access = this.#ask(author)
    if (this.#kept.size >= mostKept) this.#kept.clear()
    this.#kept.set(author, { access, until: now + keptMs })
    // The flow that has asked fails with the error; the next one asks again.
    access.catch(() => this.#kept.delete(author))
    return access
  }

  async #ask(author: string | number): Promise<Access | null> {
    if (!this.#access) throw badOption('Nobody knows the rights of authors: give createFlows "access".')
    return (await this.#access('author', { user: author, role: null })) ?? null
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
