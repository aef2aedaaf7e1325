import { actionContext } from '../../engine/action-context.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { anything, callback, checkOptions, flag, optionNames } from '../../errors/check-options.ts'
import { callKinds, type Options } from '../../execution/database.ts'
import { reporter } from '../../execution/report-errors.ts'
import type { Schema } from '../../schema/model.ts'
import { schemaFor } from '../schema/schema-for.ts'
import { type GraphQLSchemaOptions, type SchemaInput, settingsFor } from '../schema/schema-options.ts'
import { answer } from './answer.ts'
import type { AnswerBounds, GraphQLRequest } from './answer-request.ts'
import type { Answer } from './answer-text.ts'
import {
  checkDocumentOptions,
  checkedRequest,
  type DocumentOptions,
  type ReceivedRequest,
} from './checked-request.ts'
import { checkLimits, type GraphQLLimits, limitsOf } from './graphql-limits.ts'

/** Options of `answerGraphQL`. */
export interface GraphQLAnswerOptions<S = Schema> extends Options, DocumentOptions, GraphQLSchemaOptions<S> {
  /** False to refuse questions about the schema. By default true. */
  readonly introspection?: boolean | undefined
  /** False for a transaction for each field of a mutation, instead of one for all. */
  readonly atomic?: boolean | undefined
  /** Limits of documents. Those that are left out have their defaults. */
  readonly limits?: Partial<GraphQLLimits> | undefined
}

/** The same options, of whatever schema. */
export interface AnswerInput extends Omit<GraphQLAnswerOptions, 'extend'>, SchemaInput {}

const kinds = optionNames<AnswerInput>({
  ...callKinds,
  names: anything,
  extend: anything,
  subscriptions: flag,
  introspection: flag,
  atomic: flag,
  limits: anything,
  documents: callback,
  onlyDocuments: flag,
})

/** Answers a GraphQL request as JSON text, without HTTP.
 *  @example await answerGraphQL(engine, { query: '{ tags(limit: 1) { id name } }' })
 *  // → '{"data":{"tags":[{"id":"1","name":"hot"}]}}' */
export async function answerGraphQL<S extends Schema>(
  engine: Engine<S>,
  request: GraphQLRequest,
  options: GraphQLAnswerOptions<S> = {},
): Promise<string> {
  checkAnswerOptions(options)
  return (await answerRequest(engine, request, options, reporter(internalsOf(engine).onError))).text
}

/** Refuses options that are not known, or by which nothing could be answered. */
export function checkAnswerOptions(options: AnswerInput): void {
  checkOptions(options, kinds)
  checkDocumentOptions(options)
  checkLimits(options)
}

export async function answerRequest(
  engine: Engine,
  request: ReceivedRequest,
  options: AnswerInput & { readonly isReadOnly?: boolean },
  report: (error: unknown) => void,
): Promise<Answer> {
  const { checked, core, caller, bounds, call } = await readRequest(engine, request, options)
  return answer(checked, { engine: core, caller, bounds, options: call, report })
}

export async function readRequest(
  engine: Engine,
  request: ReceivedRequest,
  options: AnswerInput & { readonly isReadOnly?: boolean },
) {
  const { introspection = true, atomic = true, limits, isReadOnly = false, signal, timeoutMs } = options
  const checked = await checkedRequest(request, options)
  const core = internalsOf(engine)
  const settings = settingsFor(options, actionContext(core).whole)
  const caller = schemaFor(core, settings)
  const { extensions } = settings
  const { tokens, roots, aliases, rows } = limitsOf(limits)
  const bounds: AnswerBounds = { tokens, roots, aliases, rows, introspection, atomic, isReadOnly, extensions }
  return { checked, core, caller, bounds, call: { signal, timeoutMs } }
}
