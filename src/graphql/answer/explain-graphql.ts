import { type Engine, internalsOf } from '../../engine/engine.ts'
import { combine, fault } from '../../errors/errors.ts'
import { reporter } from '../../execution/report-errors.ts'
import type { ExplainedRead } from '../../items/read/read-tree.ts'
import type { Schema } from '../../schema/model.ts'
import { readOperation, rootOf } from './answer.ts'
import { checkAnswerOptions, type GraphQLAnswerOptions, readRequest } from './answer-graphql.ts'
import type { GraphQLRequest } from './answer-request.ts'
import type { ResultError } from './result-error.ts'

/** The statement of a field of a query, and how the database would run it. */
export interface GraphQLExplanation extends ExplainedRead {
  /** Name of the field in the answer. */
  readonly root: string
}

/** Explains what a query would do, without doing it: the statement of each field at its root. Fields that need none, and those of
 *  versions, which need several, are not in it.
 *  @example const [first] = await explainGraphQL(engine, { query: '{ hot: tags(limit: 1) { name } }' })
 *  first?.root // → 'hot' */
export async function explainGraphQL<S extends Schema>(
  engine: Engine<S>,
  request: GraphQLRequest,
  options: GraphQLAnswerOptions<S> = {},
): Promise<readonly GraphQLExplanation[]> {
  checkAnswerOptions(options)
  const { checked, core, caller, bounds, call } = await readRequest(engine, request, options)
  const report = reporter(internalsOf(engine).onError)
  const read = readOperation(checked, { engine: core, caller, bounds, options: call, report })
  if ('isRefused' in read) throw refusal(read.problems ?? [])
  if (read.operation.operation === 'mutation')
    throw fault('INVALID_QUERY', 'Only queries are explained, and no mutations.', { path: ['query'] })
  const found: GraphQLExplanation[] = []
  for (const [root, nodes] of read.fields) {
    const planned = await rootOf(root, nodes, read)
    if (planned.explain) found.push({ root, ...planned.explain() })
  }
  return found
}

/** Returns all that is wrong with a request, as one error. */
const refusal = (problems: readonly ResultError[]): Error =>
  combine(problems.map(({ message }) => fault('INVALID_QUERY', message, { path: ['query'] })))
