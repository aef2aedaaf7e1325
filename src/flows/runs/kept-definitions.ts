// Definitions of runs: a run keeps the one that it began with, whatever becomes of its flow.
import { type Sql, sql } from '../../dialects/sql.ts'
import { type EngineError, fault } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { isRecord } from '../../values/guards.ts'
import { hashOf } from '../chain/chain.ts'
import type { CheckContext } from '../check/check-context.ts'
import { checkFlow } from '../check/check-flow.ts'
import type { CompiledFlow } from '../check/compiled.ts'
import { jsonText, type RunOrigin, textIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** A definition as it is found: a flow, why it is none any more, or one with operations that only others have. */
type FoundDefinition = CompiledFlow | EngineError | 'foreign'

/** Milliseconds after which it is seen to again that a definition in use is stored. */
const storedForMs = 3_600_000

/** Maximum number of definitions that are kept in memory. */
const mostKnown = 1_000

export class KeptDefinitions {
  readonly #tables: RunTables
  readonly #context: CheckContext
  readonly #hashes = new WeakMap<CompiledFlow, string>()
  readonly #known = new Map<string, FoundDefinition>()
  /** Hashes of those that are stored, and when that was last seen to. */
  readonly #stored = new Map<string, number>()

  constructor(tables: RunTables, context: CheckContext) {
    this.#tables = tables
    this.#context = { ...context, limits: undefined, hosts: undefined, hasAuthors: true }
  }

  hashOf(flow: CompiledFlow): string {
    const known = this.#hashes.get(flow)
    if (known !== undefined) return known
    const hash = hashOf(flow.source)
    this.#hashes.set(flow, hash)
    return hash
  }

  /** Returns what a run has to carry with it: its definition, unless that is stored. */
  carried(flow: CompiledFlow): unknown {
    return this.#isStored(this.hashOf(flow)) ? undefined : flow.source
  }

  async store(flows: readonly CompiledFlow[]): Promise<void> {
    for (const flow of flows) {
      const hash = this.hashOf(flow)
      this.#known.set(hash, flow)
      await this.#store(hash, flow.name, flow.source)
    }
  }

  async find(flow: string, hash: string, { definition }: RunOrigin): Promise<FoundDefinition> {
    const known = this.#known.get(hash)
    if (known) return known
    if (definition !== undefined) await this.#store(hash, flow, definition)
    const source = definition ?? (await this.#read(hash))
    const found = this.#check(flow, source)
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(hash, found)
    return found
  }

  async #store(hash: string, flow: string, definition: unknown): Promise<void> {
    if (this.#isStored(hash)) return
    const { definitions, now, column: c } = this.#tables
    const values = { hash, flow, definition: jsonText(definition) }
    await this.#tables.change(insertDefinition(this.#tables, values))
    // A definition that is in use again is not removed with those that have long been unused.
    await this.#tables.change(
      sql`update ${definitions} set ${c('created')} = ${now} where ${c('hash')} = ${sql.val(hash)} and ${c('created')} < ${this.#tables.in(-storedForMs)}`,
    )
    this.#stored.set(hash, performance.now())
  }

  #isStored(hash: string): boolean {
    const at = this.#stored.get(hash)
    return at !== undefined && performance.now() - at < storedForMs
  }

  async #read(hash: string): Promise<unknown> {
    const { definitions, column: c } = this.#tables
    const [row] = await this.#tables.query(
      sql`select ${this.#tables.texts('definition')} from ${definitions} where ${c('hash')} = ${sql.val(hash)}`,
    )
    const text = row && textIn(row, 'definition')
    return text === undefined ? undefined : JSON.parse(text)
  }

  #check(name: string, source: unknown): FoundDefinition {
    const unfit = (why: string) =>
      fault(
        'UNPROCESSABLE_CONTENT',
        `The definition with which this run of "${name}" began does not fit any more: ${why}`,
      )
    if (source === undefined) return unfit('it is not kept any more')
    if (typesIn(source).some((type) => !Object.hasOwn(this.#context.types, type))) return 'foreign'
    const problems = new Problems('INVALID_OPTIONS')
    const flow = checkFlow(source, [], this.#context, problems)
    return flow && problems.isEmpty ? flow : unfit(problems.all[0]?.message ?? 'it is no flow')
  }
}

/** Inserts a definition, unless it is there. */
export const insertDefinition = (tables: RunTables, values: Readonly<Record<string, unknown>>): Sql =>
  sql`insert into ${tables.definitions} (${tables.columns(...Object.keys(values), 'created')}) values (${tables.list(Object.values(values))}, ${tables.now})${tables.engine.dialect.unlessThere?.() ?? sql``}`

function typesIn(source: unknown): readonly string[] {
  const operations: unknown = isRecord(source) ? source.operations : undefined
  if (!isRecord(operations)) return []
  return Object.values(operations).flatMap((one) =>
    isRecord(one) ? [String(one.type), ...typesIn(one.options)] : [],
  )
}
