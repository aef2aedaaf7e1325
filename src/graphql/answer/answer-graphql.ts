import { actionGround } from '../../engine/action-ground.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { anything, callback, checkOptions, flag, optionNames } from '../../errors/check-options.ts'
import { callKinds, type Options } from '../../execution/database.ts'
import { attempt } from '../../execution/report-errors.ts'
import { schemaFor } from '../schema/schema-for.ts'
import { type GraphQLNames, schemaSettings } from '../schema/schema-options.ts'
import { answer } from './answer.ts'
import type { Answer } from './answer-text.ts'
import type { AnswerBounds, GraphQLRequest } from './asked.ts'
import {
  checkDocumentOptions,
  checkedRequest,
  type DocumentOptions,
  type ReceivedRequest,
} from './checked-request.ts'
import { checkLimits, type GraphQLLimits, limitsOf } from './graphql-limits.ts'

/** Options of `answerGraphQL`. */
export interface GraphQLAnswerOptions extends Options, DocumentOptions {
  readonly names?: GraphQLNames | undefined
  /** False to refuse questions about the schema. By default true. */
  readonly introspection?: boolean | undefined
  /** False for a transaction for each field of a mutation, instead of one for all. */
  readonly atomic?: boolean | undefined
  readonly limits?: Partial<GraphQLLimits> | undefined
}

const kinds = optionNames<GraphQLAnswerOptions>({
  ...callKinds,
  names: anything,
  introspection: flag,
  atomic: flag,
  limits: anything,
  documents: callback,
  onlyDocuments: flag,
})

/** Answers a GraphQL request as JSON text, without HTTP.
 *  @example await answerGraphQL(engine, { query: '{ tags(limit: 1) { id name } }' })
 *  // → '{"data":{"tags":[{"id":"1","name":"hot"}]}}' */
export async function answerGraphQL(
  engine: Engine,
  request: GraphQLRequest,
  options: GraphQLAnswerOptions = {},
): Promise<string> {
  checkAnswerOptions(options)
  const { onError } = internalsOf(engine)
  const report = (error: unknown) => void attempt(() => Promise.reject(error), undefined, onError)
  return (await answerRequest(engine, request, options, report)).text
}

/** Refuses options that are not known, or by which nothing could be answered. */
export function checkAnswerOptions(options: GraphQLAnswerOptions): void {
  checkOptions(options, kinds)
  checkDocumentOptions(options)
  checkLimits(options)
}

/** Answers a request whose options are checked. */
export async function answerRequest(
  engine: Engine,
  request: ReceivedRequest,
  options: GraphQLAnswerOptions & { readonly isReadOnly?: boolean },
  report: (error: unknown) => void,
): Promise<Answer> {
  const { checked, core, caller, bounds, call } = await readRequest(engine, request, options)
  return answer(core, caller, checked, bounds, call, report)
}

/** Reads a request and its options, for whatever is done with it. */
export async function readRequest(
  engine: Engine,
  request: ReceivedRequest,
  options: GraphQLAnswerOptions & { readonly isReadOnly?: boolean },
) {
  const {
    names,
    introspection = true,
    atomic = true,
    limits,
    documents,
    onlyDocuments,
    isReadOnly = false,
    ...call
  } = options
  const checked = await checkedRequest(request, { documents, onlyDocuments })
  const core = internalsOf(engine)
  const caller = schemaFor(
    core,
    schemaSettings(names === undefined ? {} : { names }, actionGround(core).whole),
  )
  const bounds: AnswerBounds = { ...limitsOf(limits), introspection, atomic, isReadOnly }
  return { checked, core, caller, bounds, call }
}
