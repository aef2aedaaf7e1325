// Mounts of a handler: found by paths, started and stopped, for each of its engines.
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { warn } from '../../execution/report-errors.ts'
import type { Schema } from '../../schema/model.ts'
import { memoFor } from '../../values/memo.ts'
import type { Mount, MountFactory } from './mount.ts'
import { type FindMounted, findIn } from './mounted-routes.ts'

/** Mounts of a handler over all of its engines. */
export class HandlerMounts {
  readonly #mounts: readonly (Mount | MountFactory)[]
  readonly #known = new WeakMap<Engine, EngineMounts>()
  /** Those that were started or need no start, of engines that may be gone otherwise: they are stopped. */
  readonly #begun = new Set<EngineMounts>()
  #isStarted = false

  constructor(mounts: readonly (Mount | MountFactory)[]) {
    this.#mounts = mounts
  }

  /** Returns the mounts over an engine, made on first use. */
  over(engine: Engine): EngineMounts {
    return memoFor(this.#known, engine, () => {
      internalsOf(engine)
      const made = new EngineMounts(engine, this.#mounts)
      if (made.hasLife) this.#begun.add(made)
      return made
    })
  }

  /** Starts the mounts over an engine, and from now on those over others when they are first asked for. */
  async start(engine: Engine | undefined): Promise<void> {
    this.#isStarted = true
    try {
      if (engine) await this.over(engine).start()
    } catch (error) {
      this.#isStarted = false
      throw error
    }
  }

  /** Returns the mounts over the engine of a request, started if the others are. */
  async ready(engine: Engine): Promise<EngineMounts> {
    const mounts = this.over(engine)
    if (this.#isStarted) await mounts.start()
    return mounts
  }

  /** Stops all mounts. What the first of them throws is thrown when all were asked. */
  async stop(): Promise<void> {
    this.#isStarted = false
    const errors = (await Promise.all([...this.#begun].map((mounts) => mounts.stop()))).flat()
    this.#begun.clear()
    const [first, ...others] = errors
    for (const other of others) warn(other.reason)
    if (first) throw first.reason
  }
}

/** Returns the engine of a request, such as that of a tenant. */
export type EngineOfRequest<S extends Schema = Schema> = (request: Request) => Promise<Engine<S>> | Engine<S>

/** An engine that answers a request, and finds the mounts over it. */
export interface ServedEngine<S extends Schema> {
  readonly engine: Engine<S>
  readonly findMounted: FindMounted
}

/** Returns what finds the engine of a request. What does not fit a single engine is refused at once. */
export function servedFor<S extends Schema>(
  engine: Engine<S> | EngineOfRequest<S>,
  mounts: HandlerMounts,
): (request: () => Request) => ServedEngine<S> | Promise<ServedEngine<S>> {
  if (typeof engine !== 'function') {
    const served = { engine, findMounted: mounts.over(engine).find }
    return () => served
  }
  return async (request) => {
    const found = await engine(request())
    const { find } = await mounts.ready(found)
    return { engine: found, findMounted: find }
  }
}

interface Failure {
  readonly reason: unknown
}

/** Mounts over one engine. */
export class EngineMounts {
  readonly engine: Engine
  readonly find: FindMounted
  readonly hasLife: boolean
  readonly #mounts: readonly Mount[]
  /** Mounts that have begun, in the order in which they did. */
  #running: Mount[]
  #starting: Promise<void> | undefined

  constructor(engine: Engine, mounts: readonly (Mount | MountFactory)[]) {
    this.engine = engine
    this.#mounts = mounts.map((mount, index) => mountOver(engine, mount, index))
    this.find = findIn(this.#mounts, engine)
    this.hasLife = this.#mounts.some(({ start, stop }) => start ?? stop)
    this.#running = this.#mounts.filter(({ start }) => !start)
  }

  /** Starts the mounts, once. If one fails, those that have begun are stopped, and it may be tried again. */
  start(): Promise<void> {
    this.#starting ??= this.#startAll().catch((error: unknown) => {
      this.#starting = undefined
      throw error
    })
    return this.#starting
  }

  async #startAll(): Promise<void> {
    const begun: Mount[] = []
    try {
      for (const mount of this.#mounts) {
        if (!mount.start) continue
        await mount.start(this.engine)
        begun.push(mount)
      }
    } catch (error) {
      for (const { reason } of await this.#stopAll(begun)) warn(reason)
      throw error
    }
    this.#running = this.#mounts.slice()
  }

  /** Stops the mounts that have begun, the last one first, and returns what they threw. */
  async stop(): Promise<readonly Failure[]> {
    // What fails to start is reported to whoever starts it.
    await this.#starting?.catch(() => undefined)
    const running = this.#running
    this.#running = []
    return this.#stopAll(running)
  }

  async #stopAll(mounts: readonly Mount[]): Promise<readonly Failure[]> {
    const errors: Failure[] = []
    for (const mount of mounts.toReversed())
      try {
        await mount.stop?.(this.engine)
      } catch (reason) {
        errors.push({ reason })
      }
    return errors
  }
}

function mountOver(engine: Engine, one: Mount | MountFactory, index: number): Mount {
  const mount: unknown = typeof one === 'function' ? one(engine) : one
  for (const [name, isRequired] of functionsOfMount) {
    const member: unknown = Reflect.get(Object(mount), name)
    if (typeof member === 'function' || (member === undefined && !isRequired)) continue
    throw fault('INVALID_OPTIONS', `A mount has "${name}", a function, not ${quote(member)}.`, {
      path: ['mounts', index],
      hint: 'mounts: [graphql()]',
    })
  }
  // A mount is code of the host, whose types are checked where it is written.
  const own = mount as Mount
  if (own.engine === undefined || own.engine === engine) return own
  throw fault('INVALID_OPTIONS', 'A mount is made for another engine than that of the handler.', {
    path: ['mounts', index],
    hint: 'Pass a function that makes the mount: mounts: [(engine) => …].',
  })
}

const functionsOfMount = [
  ['routes', true],
  ['start', false],
  ['stop', false],
] as const
