// Changes that a source of the engine's own writes does not report: those of views, of triggers and of foreign keys that cascade. A database is
// queried once for each collection.

import { render, type Sql, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import type { Collection } from '../../schema/model.ts'
import type { FeedSettings } from './feed-options.ts'
import type { BlindCollection } from './source.ts'

interface Unseen {
  readonly isView: boolean
  /** The thing that changes rows without a verb, in words; undefined if there is none. */
  readonly by: string | undefined
}

export class UnseenChanges {
  readonly #engine: EngineInternals
  readonly #settings: FeedSettings
  readonly #onBlind: (error: unknown) => void
  readonly #known = new Map<string, Promise<Unseen>>()
  readonly #blind = new Set<string>()
  /** The reasons why the source does not report all changes of collections, by their names. */
  #unreported: ReadonlyMap<string, string> = new Map()
  readonly #reported = new Set<string>()

  constructor(engine: EngineInternals, settings: FeedSettings, onBlind: (error: unknown) => void) {
    this.#engine = engine
    this.#settings = settings
    this.#onBlind = onBlind
  }

  /** The collections whose changes the source may not all report, by their names. */
  get blind(): readonly string[] {
    return [...new Set([...this.#blind, ...this.#reported])].toSorted()
  }

  /** Takes the collections whose changes the source does not all report. Returns those that are among them now or were before, and not both. */
  take(blind: readonly BlindCollection[]): readonly string[] {
    const before = this.#unreported
    this.#unreported = new Map(blind.map(({ collection, reason }) => [collection, reason]))
    for (const name of this.#reported) if (!this.#unreported.has(name)) this.#reported.delete(name)
    return [...new Set([...before.keys(), ...this.#unreported.keys()])].filter(
      (name) => before.has(name) !== this.#unreported.has(name),
    )
  }

  /** Reports once that the source does not report all changes of a collection that is watched. */
  report(name: string): void {
    const reason = this.#unreported.get(name)
    if (reason === undefined || this.#reported.has(name)) return
    this.#reported.add(name)
    this.#onBlind(ofUntold(name, reason))
  }

  /** Refuses views of which it is not known what they read, and notes what the source cannot report. */
  async check(names: Iterable<string>): Promise<void> {
    const { views } = this.#settings
    for (const name of [...names].flatMap((one) => [one, ...(views[one] ?? [])])) {
      const { isView } = await this.#ask(name)
      if (isView && !Object.hasOwn(views, name)) throw ofView(name)
      if (isView || !this.#unreported.has(name)) continue
      this.report(name)
      throw ofUntoldList()
    }
  }

  #ask(name: string): Promise<Unseen> {
    const known = this.#known.get(name) ?? this.#find(name)
    this.#known.set(name, known)
    // The caller gets the error, and the next one asks again.
    known.catch(() => this.#known.delete(name))
    return known
  }

  async #find(name: string): Promise<Unseen> {
    const collection = this.#engine.withOwn().schema.collections.get(name)
    const facts = collection ? await this.#facts(collection) : { isView: false, by: undefined }
    if (facts.by !== undefined && !facts.isView && this.#settings.source.tells === 'own writes') {
      this.#blind.add(name)
      this.#onBlind(ofBlind(name, facts.by))
    }
    return facts
  }

  async #facts(collection: Collection): Promise<Unseen> {
    const { dialect } = this.#engine
    const none = sql`null`
    const cell = (value: Sql, index: number) => sql`${value} as ${dialect.identifier(String(index))}`
    const facts = [
      dialect.isView?.(collection) ?? none,
      dialect.isCascadedTo?.(collection) ?? none,
      dialect.isFollowed(collection),
    ]
    const statement = render(sql`select ${sql.join(facts.map(cell), sql`, `)}`, dialect)
    const [row] = await execute(this.#engine, statement, {})
    const by = row?.[1] ? 'a foreign key that cascades' : row?.[2] ? 'a trigger or a rule' : undefined
    return { isView: Boolean(row?.[0]), by }
  }
}

const ofView = (name: string) =>
  fault('INVALID_QUERY', `"${name}" is a view, and it is not known what it reads.`, {
    hint: `Name the collections that it reads: createFeed(engine, { views: { ${name}: ['…'] } }).`,
  })

const ofUntold = (name: string, reason: string) =>
  fault(
    'SERVICE_UNAVAILABLE',
    `The source of a feed does not report all changes of "${name}", which ${reason}.`,
    {
      hint: `Run installChangeLog(engine, ['${name}']), and let each migration do so that builds a table anew.`,
    },
  )

/** For callers, who may not know of the collection. */
const ofUntoldList = () =>
  fault('SERVICE_UNAVAILABLE', 'Not all changes of this list would be reported now.', {
    hint: 'Try again later.',
    extensions: { reason: 'source' },
  })

const ofBlind = (name: string, by: string) =>
  fault('INVALID_OPTIONS', `Rows of "${name}" are changed by ${by}, which a local source does not see.`, {
    hint: 'Call feed.reset where that matters, or use a source that sees what the database does.',
  })
