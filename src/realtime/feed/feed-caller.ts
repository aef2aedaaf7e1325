// A caller of a feed: its rights, asked for again and again.
import type { Access } from '../../access/access.ts'
import { checkAccess } from '../../access/check-access.ts'
import { type Engine, type EngineInternals, internals } from '../../engine/engine.ts'
import { fault, isEngineError } from '../../errors/errors.ts'
import { payerOf } from '../bytes/kept-bytes.ts'
import type { Reader, UnsentBytes } from '../bytes/unsent-bytes.ts'
import type { Waiting, WatchedGroup } from '../group/group.ts'
import { callerText } from '../group/group-name.ts'
import { type Turns, waitFor } from '../timers.ts'
import type { WatchedQuery } from '../watched-query.ts'

/** The access of a caller, or a function that is called for it again and again. Null: the caller has no access any more. */
export type GivenAccess<A = Access> = A | (() => A | null | Promise<A | null>)

/** The rights of a caller, since some moment. */
export interface Rights {
  readonly engine: EngineInternals
  /** The access as it was given. */
  readonly access: Access
  /** Grows when the rights become others, or may have. */
  readonly number: number
}

export class CallerRights implements Reader {
  /** Breaks off its connection. Undefined if messages go to the host itself, who holds them. */
  breakOff: ((isAtOnce?: boolean) => void) | undefined
  readonly #engine: Engine
  readonly #input: GivenAccess
  readonly #signal: AbortSignal
  #current: Rights | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  /** How often the last known rights were doubted. */
  #doubts = 0
  /** The last doubt after which the caller was asked, and has answered. */
  #settled = 0
  #asking: Promise<Rights> | undefined

  constructor(engine: Engine, input: GivenAccess, signal: AbortSignal) {
    this.#engine = engine
    this.#input = input
    this.#signal = signal
    if (typeof input !== 'function') this.#take(input)
  }

  /** The last known rights; undefined before they were loaded. */
  get current(): Rights | undefined {
    return this.#current
  }

  get payer(): string {
    return payerOf(this.#current?.access ?? {})
  }

  /** True if it is known what the caller may see now. */
  get isCertain(): boolean {
    return this.#current !== undefined && !isOver(this.#current) && !this.#isDoubted
  }

  get #isDoubted(): boolean {
    return typeof this.#input === 'function' && this.#doubts !== this.#settled
  }

  /** Returns rights that are not older than some milliseconds, and have not expired. It throws if there are none any more. */
  async fresh(maxAge: number): Promise<Rights> {
    const current = this.#current
    if (current && !isOver(current)) {
      const isYoung = typeof this.#input !== 'function' || performance.now() - this.#checkedAt < maxAge
      if (isYoung && !this.#isDoubted) return current
    } else if (current && typeof this.#input !== 'function') throw expired()
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** Makes the next message wait until the caller was asked for again. */
  doubt(): void {
    this.#doubts += 1
  }

  /** Asks until no doubt has come while it was asked. As long as there is no answer, it stays in doubt what the caller may see. */
  async #ask(): Promise<Rights> {
    try {
      for (;;) {
        const doubts = this.#doubts
        const rights = await this.#askSome()
        if (doubts !== this.#doubts) continue
        this.#settled = doubts
        return rights
      }
    } catch (error) {
      this.doubt()
      throw error
    }
  }

  async #askSome(): Promise<Rights> {
    let failure: unknown
    for (let attempt = 0; attempt < maxAttempts && !this.#signal.aborted; attempt++) {
      try {
        return await this.#askOnce()
      } catch (error) {
        if (error instanceof Refused) throw error.cause
        // That a token is over is an answer, as over HTTP.
        if (isExpired(error)) throw error
        failure = error
      }
    }
    throw fault('SERVICE_UNAVAILABLE', 'It is not known now what this caller may see.', { cause: failure })
  }

  async #askOnce(): Promise<Rights> {
    const input = this.#input
    if (typeof input !== 'function') return this.#take(input)
    const checkedAt = performance.now()
    const answer = await withinTime(async () => input(), this.#signal)
    if (answer === null) throw new Refused(fault('FORBIDDEN', 'This caller may see nothing any more.'))
    const rights = this.#take(answer)
    if (isOver(rights)) throw new Refused(expired())
    this.#checkedAt = checkedAt
    return rights
  }

  #take(access: Access): Rights {
    const { [internals]: engine } = this.#engine.as(access)
    const before = this.#current
    const isSame = before !== undefined && isSameCaller(before.engine, engine)
    this.#current = { engine: engine.fresh(), access, number: (before?.number ?? 0) + (isSame ? 0 : 1) }
    return this.#current
  }
}

/** True for the error of an access or a token that is over. */
export const isExpired = (error: unknown): boolean => isEngineError(error) && error.code === 'TOKEN_EXPIRED'

const maxAttempts = 3
const maxSilentMs = 10_000

/** A result after which the access is not asked for again. */
class Refused extends Error {
  constructor(cause: unknown) {
    super('refused', { cause })
  }
}

/** Returns what a function of the host returns for an access. It throws if that takes too long. */
export async function withinTime<Answer>(work: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const over = new AbortController()
  const silent = waitFor(maxSilentMs, AbortSignal.any([signal, over.signal])).then(() => {
    throw fault('SERVICE_UNAVAILABLE', 'The function that returns an access has not answered for 10 s.')
  })
  // The race reports the error; without one that still runs, it needs no report.
  silent.catch(() => undefined)
  try {
    return await Promise.race([work(), silent])
  } finally {
    over.abort()
  }
}

export const isOver = ({ engine }: Rights): boolean => {
  const end = engine.scope?.expiresAt
  return end !== undefined && Number(engine.clock()) >= end
}

const expired = () => fault('TOKEN_EXPIRED', 'This access has expired.')

/** True if two callers have equal rules, and are the same in all that rules and queries may ask of them. */
function isSameCaller(one: EngineInternals, other: EngineInternals): boolean {
  const [before, after] = [one.scope?.permissions, other.scope?.permissions]
  const isSameRules = before === after || (before?.text !== undefined && before.text === after?.text)
  const text = callerText(one.scope?.caller)
  return isSameRules && text !== undefined && text === callerText(other.scope?.caller)
}

/** Refuses what is neither an access nor a function. */
export function checkGiven(input: unknown): asserts input is GivenAccess {
  if (typeof input !== 'function')
    checkAccess(input, { hint: 'Give the access, or a function that returns it.' })
}

/** A subscription of a caller. */
export interface OfCaller extends Waiting {
  readonly caller: CallerRights
  end(): void
}

/** The feed as its subscriptions need it. */
export interface SubscribedFeed {
  readonly recheckMs: number
  readonly maxPending: number
  /** Secret under which tokens are signed, and ids of hidden keys are made. */
  readonly secret: string
  /** Resolves when all groups know what was committed by now, if the source has reported it. */
  readonly caughtUp: () => Promise<void>
  readonly groupFor: (watched: WatchedQuery, rights: Rights) => WatchedGroup
  /** Adds a subscription to a group, or notes that another caller has it. */
  readonly join: (group: WatchedGroup, subscription: Waiting, rights: Rights) => void
  /** Resolves when the group was read by a read that begins from now on. */
  readonly listed: (group: WatchedGroup, isSoon: boolean) => Promise<void>
  /** Counts what is on its way. */
  readonly unsent: UnsentBytes
  /** Lets some subscriptions go on at a time. */
  readonly turns: Turns
  readonly leave: (group: WatchedGroup, subscription: Waiting) => void
  readonly onEnd: (subscription: OfCaller) => void
  readonly onError: (error: unknown) => unknown
}
