// Answers a request: every field of the operation is planned before the first statement runs.
import { type FieldNode, GraphQLError, type OperationDefinitionNode } from 'graphql'
import type { EngineInternals } from '../../engine/engine.ts'
import { quote, unreachable } from '../../errors/errors.ts'
import { isOfTooManyBytes } from '../../errors/too-many-bytes.ts'
import type { Options } from '../../execution/database.ts'
import { once } from '../../values/memo.ts'
import type { Collecting, FieldNodes } from '../document/collect-fields.ts'
import { collectOperation } from '../document/collect-operation.ts'
import { isRefused, readDocument, withoutSuggestion } from '../document/read-document.ts'
import { readVariables } from '../document/variables.ts'
import type { CallerSchema } from '../schema/schema-for.ts'
import type { AnswerBounds, AnswerRequest } from './answer-request.ts'
import { type Answer, dataText, memberText, refused } from './answer-text.ts'
import type { CheckedRequest } from './checked-request.ts'
import { withExtras } from './extras/extend-answers.ts'
import { planExtraRoot } from './extras/extra-root.ts'
import { introspected } from './introspect.ts'
import { answerMutation } from './mutations/answer-mutation.ts'
import { fieldsBeyond } from './operation-fields.ts'
import { countedBeyond, rowsBeyond } from './operation-rows.ts'
import { ResultBudget } from './result-budget.ts'
import { documentError, fieldErrors, type ResultError, requestError } from './result-error.ts'
import { type PlannedRoot, planRoot } from './roots/plan-root.ts'
import { runRoots } from './roots/run-roots.ts'
import { isIntrospection, SchemaListing } from './schema-listing.ts'

/** The surroundings of a request: who asks what engine, and within which bounds. */
interface AnswerCall {
  readonly engine: EngineInternals
  readonly caller: CallerSchema
  readonly bounds: AnswerBounds
  readonly options: Options
  readonly report: (error: unknown) => void
}

/** Answers a query. Nothing is run if anything of the request is refused. */
export async function answer(request: CheckedRequest, call: AnswerCall): Promise<Answer> {
  const { bounds } = call
  const read = readOperation(request, call)
  if ('isRefused' in read) return read
  const { operation } = read
  if (operation.operation === 'subscription')
    return refused([documentError(subscriptionElsewhere(operation))])
  return operation.operation === 'mutation' ? answerMutation(read, bounds) : answerQuery(read, bounds)
}

/** Reads an operation with its variables; nothing of it is planned. */
export function readOperation(...input: Parameters<typeof readWhole>): ReturnType<typeof readWhole> {
  try {
    return readWhole(...input)
  } catch (error) {
    const found = requestError(error)
    if (!found) throw error
    return refused([found])
  }
}

function readWhole(
  request: CheckedRequest,
  { engine, caller, bounds, options, report }: AnswerCall,
): AnswerRequest | Answer {
  const document = readDocument(request.query, caller, bounds)
  if (isRefused(document)) return refused(document.map((problem) => documentError(problem)))
  const { schema } = document
  const operation = operationNamed(document.operations, request.operationName)
  if (operation instanceof GraphQLError) return refused([documentError(operation)])
  const input = request.variables ?? {}
  const variables = readVariables(schema, operation, input)
  if (isRefused(variables)) {
    const shown = bounds.introspection ? variables : variables.map(withoutSuggestion)
    return refused(shown.map((problem) => documentError(problem)))
  }
  const { expandedFields: maxMembers, relationDepth: maxLevels } = engine.limits
  const { fragments } = document
  const reading: Collecting = { schema, fragments, variables, maxMembers, maxLevels }
  const type = schema.getRootType(operation.operation)
  if (!type) throw unreachable(`a document was valid without a type for its ${operation.operation}`)
  if (operation.operation === 'mutation' && bounds.isReadOnly)
    return refused([documentError(mutationByGet(operation))])
  const { fields, kept } = collectOperation(operation, type, reading)
  if (fields.size > bounds.roots) return refused([tooMany(operation, bounds.roots)])
  const { aliases: maxAliases, extensions, introspection: showsHints } = bounds
  const collecting: Collecting = { schema, fragments, variables, maxMembers, maxLevels, kept, maxAliases }
  const { reportsTruncated } = request
  const listing = once(() => new SchemaListing(collecting))
  const reporting = { report, showsHints }
  return {
    engine,
    operation,
    type,
    input,
    collecting,
    listing,
    options,
    reportsTruncated,
    extensions,
    fields,
    reporting,
  }
}

async function answerQuery(requested: AnswerRequest, { rows: maxRows }: AnswerBounds): Promise<Answer> {
  const { fields, reporting } = requested
  const roots: Root[] = []
  const problems: ResultError[] = []
  for (const [name, nodes] of fields) {
    const [node] = nodes
    try {
      roots.push({ name, node, ...(await rootOf(name, nodes, requested)) })
    } catch (error) {
      problems.push(...fieldErrors(error, { node, path: [name], reporting }))
    }
  }
  if (problems.length > 0) return refused(problems)
  const beyond = beyondPlan(roots, requested.engine, maxRows) ?? (await countedBeyond(distinctOf(roots)))
  if (!beyond) return answered(roots, requested)
  const { root, error } = beyond
  return refused(fieldErrors(error, { node: root.node, path: [root.name], reporting }))
}

/** Returns a field by which an operation asks for more than its plan allows, which is known before anything is read. */
export function beyondPlan<One extends PlannedRoot>(
  roots: readonly One[],
  { limits: { expandedFields } }: Pick<EngineInternals, 'limits'>,
  maxRows: number,
) {
  return fieldsBeyond(roots, expandedFields) ?? rowsBeyond(distinctOf(roots), maxRows)
}

/** Returns the fields without those that have the answer of another one. */
function distinctOf<One extends PlannedRoot>(roots: readonly One[]): readonly One[] {
  if (roots.length === 1) return roots
  return [...new Map(roots.map((root) => [root.identity(), root] as const)).values()]
}

interface Root extends PlannedRoot {
  readonly name: string
  readonly node: FieldNode
}

export async function rootOf(name: string, nodes: FieldNodes, request: AnswerRequest): Promise<PlannedRoot> {
  const { type, listing } = request
  const [node] = nodes
  if (node.name.value === '__typename') return known(JSON.stringify(type.name))
  // The only field of a caller who may see nothing.
  if (node.name.value === '_empty') return known('null')
  if (isIntrospection(node)) {
    listing().add(nodes)
    return {
      // Each is answered on its own, because each was counted.
      identity: () => JSON.stringify(['schema', name]),
      isNullable: node.name.value === '__type',
      run: async () => ({ text: introspected(name, nodes, request), truncated: [] }),
    }
  }
  const root = { name, nodes, ...request }
  return planExtraRoot(root) ?? planRoot(root)
}

/** A field whose answer needs no statement. */
const known = (text: string): PlannedRoot => ({
  identity: () => `= ${text}`,
  isNullable: false,
  run: () => Promise.resolve({ text, truncated: [] }),
})

/** Runs the fields, equal ones once, and writes their answers in the order of the document. */
async function answered(
  roots: readonly Root[],
  { engine, reporting, reportsTruncated }: AnswerRequest,
): Promise<Answer> {
  const settled = await Promise.allSettled(runRoots(roots, new ResultBudget(engine.limits)))
  const tooLong = settled.findIndex((one) => one.status === 'rejected' && isOfTooManyBytes(one.reason))
  const [longRoot, long] = [roots[tooLong], settled[tooLong]]
  if (longRoot && long?.status === 'rejected')
    return refused(fieldErrors(long.reason, { node: longRoot.node, path: [longRoot.name], reporting }))
  const errors: ResultError[] = []
  const truncated: string[] = []
  const texts = await withExtras(roots, settled, {
    budget: new ResultBudget(engine.limits),
    reporting,
  })
  const excess = texts?.flatMap((one) => one?.excess ?? []) ?? []
  if (excess.length > 0) return refused(excess)
  const members = settled.map((result, index) => {
    const root = roots[index]
    if (!root) return ''
    const { name, node } = root
    if (result.status === 'fulfilled') {
      const { text, truncated: places } = result.value
      truncated.push(...places.map((place) => (place === '' ? name : `${name}.${place}`)))
      const extended = texts?.[index]
      errors.push(...(extended?.errors ?? []))
      return memberText(name, extended?.text ?? text)
    }
    errors.push(...fieldErrors(result.reason, { node, path: [name], reporting }))
    return root.isNullable ? memberText(name, 'null') : undefined
  })
  return { isRefused: false, text: dataText(members, errors, reportsTruncated ? { truncated } : undefined) }
}

function operationNamed(
  operations: readonly OperationDefinitionNode[],
  name: string | undefined,
): OperationDefinitionNode | GraphQLError {
  if (name === undefined || name === '') {
    const [first] = operations
    return first && operations.length === 1
      ? first
      : new GraphQLError('The document has several operations; say by "operationName" which one.', {
          nodes: operations,
        })
  }
  const found = operations.find((operation) => operation.name?.value === name)
  return (
    found ?? new GraphQLError(`There is no operation ${quote(name)} in the document.`, { nodes: operations })
  )
}

const mutationByGet = (operation: OperationDefinitionNode) =>
  new GraphQLError('A mutation is sent by POST.', {
    nodes: operation,
    extensions: { code: 'METHOD_NOT_ALLOWED', allowed: 'POST' },
  })

const subscriptionElsewhere = (operation: OperationDefinitionNode) =>
  new GraphQLError('A subscription is answered over a socket.', { nodes: operation })

const tooMany = (operation: OperationDefinitionNode, max: number): ResultError =>
  documentError(
    new GraphQLError(`The operation has more than ${max} fields at its root.`, { nodes: operation }),
  )
