// Definitions of runs: a run keeps the one that it began with, whatever becomes of its flow.
import { sql } from '../../dialects/sql.ts'
import { type EngineError, fault } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { isRecord } from '../../values/guards.ts'
import { hashOf } from '../chain/json-value.ts'
import type { CheckContext } from '../check/check-context.ts'
import { checkFlow } from '../check/check-flow.ts'
import type { CompiledFlow } from '../check/compiled.ts'
import { jsonText, type RunOrigin, textIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** A definition as it is found: as a flow, one that does not fit any more, or one with operations that only others have. */
export type FoundDefinition =
  | { readonly kind: 'flow'; readonly flow: CompiledFlow }
  | { readonly kind: 'unfit'; readonly error: EngineError }
  | { readonly kind: 'foreign' }

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

  /** Stores the definitions of flows. */
  async store(flows: readonly CompiledFlow[]): Promise<void> {
    for (const flow of flows) {
      const hash = this.hashOf(flow)
      this.#known.set(hash, { kind: 'flow', flow })
      await this.#store(hash, flow.name, flow.source)
    }
  }

  /** Returns the definition of a run. */
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
    const { definitions, now, column: c, engine } = this.#tables
    const values = sql`${this.#tables.list([hash, flow, jsonText(definition)])}, ${now}`
    await this.#tables.change(
      sql`insert into ${definitions} (${this.#tables.columns('hash', 'flow', 'definition', 'created')}) values (${values})${engine.dialect.unlessThere?.() ?? sql``}`,
    )
    // One that is in use is not removed by whoever removes those that nobody has used for long.
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
    if (source === undefined) return { kind: 'unfit', error: unfit(name, 'it is not kept any more') }
    if (typesIn(source).some((type) => !Object.hasOwn(this.#context.types, type))) return { kind: 'foreign' }
    const problems = new Problems('INVALID_OPTIONS')
    const flow = checkFlow(source, [], this.#context, problems)
    const [first] = problems.all
    if (flow && problems.isEmpty) return { kind: 'flow', flow }
    return { kind: 'unfit', error: unfit(name, first?.message ?? 'it is no flow') }
  }
}

const unfit = (flow: string, why: string) =>
  fault(
    'UNPROCESSABLE_CONTENT',
    `The definition with which this run of "${flow}" began does not fit any more: ${why}`,
  )

/** Returns the types of all operations of a definition. */
function typesIn(source: unknown): readonly string[] {
  const operations: unknown = isRecord(source) ? source.operations : undefined
  if (!isRecord(operations)) return []
  return Object.values(operations).flatMap((one) =>
    isRecord(one) ? [String(one.type), ...typesIn(one.options)] : [],
  )
}
