// Mounts of a handler: found by paths, started and stopped, for each of its engines.
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { warn } from '../../execution/report-errors.ts'
import type { Schema } from '../../schema/model.ts'
import { memoFor } from '../../values/memo.ts'
import type { Incoming } from '../messages.ts'
import type { Mount, MountFactory, MountRoute } from './mount.ts'
import { type FindMounted, findIn } from './mounted-routes.ts'

export class HandlerMounts {
  readonly #mounts: readonly (Mount | MountFactory)[]
  /** By what an engine has in common with those that are made of it, such as one inside a transaction. */
  readonly #known = new WeakMap<object, EngineMounts>()
  /** Those that were started or need no start, of engines that may be gone otherwise: they are stopped. */
  readonly #begun = new Set<EngineMounts>()
  #isStarted = false

  constructor(mounts: readonly (Mount | MountFactory)[]) {
    this.#mounts = mounts
  }

  /** Returns the mounts over an engine, made on first use. */
  over(engine: Engine): EngineMounts {
    const { hooks, outside } = internalsOf(engine)
    return memoFor(this.#known, hooks, () => {
      // They outlive the transaction of a request.
      const made = new EngineMounts(outside().asEngine(), this.#mounts)
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
  readonly installed: Incoming['installed']
}

/** Returns what finds the engine of a request. What does not fit a single engine is refused at once. */
export function servedFor<S extends Schema>(
  engine: Engine<S> | EngineOfRequest<S>,
  mounts: HandlerMounts,
): (request: () => Request) => ServedEngine<S> | Promise<ServedEngine<S>> {
  if (typeof engine !== 'function') {
    const { find, installed } = mounts.over(engine)
    const served = { engine, findMounted: find, installed }
    return () => served
  }
  return async (request) => {
    const found = await engine(request())
    const { find, installed } = await mounts.ready(found)
    return { engine: found, findMounted: find, installed }
  }
}

interface Failure {
  readonly reason: unknown
}

class EngineMounts {
  readonly engine: Engine
  readonly find: FindMounted
  readonly installed: Incoming['installed']
  readonly hasLife: boolean
  readonly #mounts: readonly Mount[]
  /** Mounts that have begun, in the order in which they did. */
  #running: Mount[]
  #starting: Promise<void> | undefined

  constructor(engine: Engine, mounts: readonly (Mount | MountFactory)[]) {
    this.engine = engine
    const made = mountsOver(engine, mounts)
    this.#mounts = made.map(({ mount }) => mount)
    this.find = findIn(made)
    const parts = made.flatMap(({ routes }) =>
      routes.flatMap(({ part, path }) => (part ? [[part, path]] : [])),
    )
    this.installed = Object.fromEntries(parts)
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
    // A failure has already rejected the promise of the call that started them.
    await Promise.allSettled([this.#starting])
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

interface MadeMount {
  readonly mount: Mount
  readonly routes: readonly MountRoute[]
}

/** By the mount or its function, and by what engines of all callers have in common. */
const known = new WeakMap<Mount | MountFactory, WeakMap<object, MadeMount>>()

/** Returns mounts over an engine, each of which is made and asked for its routes once. */
export const mountsOver = (engine: Engine, mounts: readonly (Mount | MountFactory)[]): readonly MadeMount[] =>
  mounts.map((one, index) => {
    if (Object(one) !== one) throw noMount('routes', one, index)
    const ofEngines = memoFor(known, one, () => new WeakMap<object, MadeMount>())
    return memoFor(ofEngines, internalsOf(engine).hooks, () => {
      const mount = checkedMount(typeof one === 'function' ? one(engine) : one, index)
      if (mount.engine === undefined || internalsOf(mount.engine).hooks === internalsOf(engine).hooks)
        return { mount, routes: mount.routes(engine) }
      throw fault('INVALID_OPTIONS', 'The mount was made for another engine than the handler.', {
        path: ['mounts', index],
        hint: 'Pass a function that makes the mount: mounts: [(engine) => …].',
      })
    })
  })

function checkedMount(mount: unknown, index: number): Mount {
  for (const [name, isRequired] of functionsOfMount) {
    const member: unknown = Reflect.get(Object(mount), name)
    if (typeof member !== 'function' && (member !== undefined || isRequired))
      throw noMount(name, member, index)
  }
  // A mount is code of the host, whose types are checked where it is written.
  return mount as Mount
}

const functionsOfMount = [
  ['routes', true],
  ['start', false],
  ['stop', false],
] as const

const noMount = (name: string, member: unknown, index: number) =>
  fault('INVALID_OPTIONS', `A mount needs "${name}", a function, not ${quote(member)}.`, {
    path: ['mounts', index],
    hint: 'mounts: [graphql()]',
  })
