// Types of operations: rows of a table, to which hosts add theirs.
import type { z } from 'zod'
import type { Engine } from '../engine/engine.ts'
import type { Path } from '../errors/errors.ts'

/** Kinds of operations: they compute, read items, write items, or reach out of the database. */
export const kinds = ['pure', 'reads', 'database', 'outside'] as const
/** Kind of an operation: `pure` computes, `reads` reads items, `database` writes them, `outside` reaches out of the database. */
export type OperationKind = (typeof kinds)[number]

/** Role of an option, which says what its templates may bring: a value, a name, a key, keys, a query, a condition on the chain, a list,
 *  operations of its own, or parts of an address. The text of a program has no templates. */
export type OptionRole =
  | 'value'
  | 'name'
  | 'key'
  | 'keys'
  | 'query'
  | 'condition'
  | 'list'
  | 'operations'
  | 'url'
  | 'program'

/** An option of an operation. */
export interface OptionRow<Value extends z.ZodType = z.ZodType> {
  /** Values that it takes, once rendered. One that takes undefined may be left out. */
  readonly schema: Value
  readonly doc: string
  /** By default `value`. */
  readonly role?: OptionRole
  /** True if it may hold secrets. */
  readonly isSecret?: boolean
}

/** Options by their names. */
export type OptionRows = Readonly<Record<string, OptionRow>>

/** The surroundings of an operation while it runs. */
export interface FlowContext {
  /** The engine with the rights of the operation, inside the transaction of whatever started the flow. */
  readonly engine: Engine
  /** The names of the flow and of the operation. */
  readonly flow: string
  readonly operation: string
  /** The same text for each attempt of the operation in a run that is kept: a service that gets the same request twice can
   *  perform it once. Undefined in a run that is not kept. */
  readonly idempotencyKey: string | undefined
  /** Aborted when the time of the operation is over, or its run is no longer waited for. */
  readonly signal: AbortSignal
}

type Rendered<Rows extends OptionRows> = { readonly [Name in keyof Rows]: z.output<Rows[Name]['schema']> }

/** A mistake of the options of an operation. */
export interface OptionProblem {
  /** Place in the options. */
  readonly path: Path
  readonly message: string
  readonly hint?: string
}

/** A type of operations. */
export interface OperationType<Rows extends OptionRows = OptionRows> {
  readonly kind: OperationKind
  readonly doc: string
  readonly options: Rows
  /** True if it calls the engine once. By default its calls are one transaction, or a part of one. */
  readonly isOneCall?: boolean
  /** Milliseconds that it may take. By default 10,000. */
  readonly timeoutMs?: number
  /** Returns mistakes of options as they are written, with their templates, beyond those that the schemas find. */
  problemsOf?(written: Readonly<Record<string, unknown>>): readonly OptionProblem[]
  /** Does it, and returns what the data chain gets: JSON. What it throws is its reject. */
  run(options: Rendered<Rows>, context: FlowContext): unknown
}

/** A type of operations whose options are not known here. */
export interface AnyOperationType extends Omit<OperationType, 'run'> {
  run(options: object, context: FlowContext): unknown
}

/** Types of operations by their names. */
export type OperationTypes = Readonly<Record<string, AnyOperationType>>

/** A template in place of a value that is no text. */
type Templated<Value> =
  | Value
  | `{{${string}}}`
  | (Value extends readonly (infer One)[]
      ? readonly Templated<One>[]
      : Value extends object
        ? { readonly [Name in keyof Value]: Templated<Value[Name]> }
        : never)

type MayBeLeftOut<Rows extends OptionRows> = {
  [Name in keyof Rows]: undefined extends z.input<Rows[Name]['schema']> ? Name : never
}[keyof Rows]

/** Options as a definition has them: with templates in place of values. */
export type OptionsOf<Type, Operations> = Type extends {
  readonly options: infer Rows extends OptionRows
}
  ? { readonly [Name in Exclude<keyof Rows, MayBeLeftOut<Rows>>]: OptionValue<Rows[Name], Operations> } & {
      readonly [Name in MayBeLeftOut<Rows>]?: OptionValue<Rows[Name], Operations> | undefined
    }
  : never

type OptionValue<Row extends OptionRow, Operations> = Row extends {
  readonly role: 'operations'
}
  ? Operations
  : Templated<z.input<Row['schema']>>

/** Describes a type of operations of the host's own, and returns it.
 *  @example const { z } = await import('zod')
 *  const shout = defineOperation({
 *    kind: 'pure',
 *    doc: 'Returns a text in capitals.',
 *    options: { text: { schema: z.string(), doc: 'The text.' } },
 *    run: ({ text }) => text.toUpperCase(),
 *  })
 *  shout.kind // → 'pure' */
export const defineOperation = <const Rows extends OptionRows>(
  type: OperationType<Rows>,
): OperationType<Rows> => Object.freeze(type)
