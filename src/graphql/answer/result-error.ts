// Errors in the form of the specification of GraphQL: with the place in the document and in the answer.
import { type ASTNode, GraphQLError, getLocation } from 'graphql'
import { EngineError, type ErrorBody, isEngineError, type Path, toErrorBody } from '../../errors/errors.ts'
import { orElse } from '../../execution/soon.ts'
import { isOperator } from '../../vocabulary/operators.ts'
import type { LevelNodes } from '../document/document-selection.ts'
import { tooDeep } from '../document/too-deep.ts'

export interface ResultError {
  readonly message: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[] | undefined
  readonly path?: Path | undefined
  readonly extensions: Readonly<Record<string, unknown>>
}

interface FailedField {
  readonly node: ASTNode
  readonly path: Path
  readonly reporting: Reporting
}

export interface Reporting {
  /** Receives errors that are not the caller's. */
  readonly report: (error: unknown) => void
  /** False where hints would name what introspection would show. */
  readonly showsHints: boolean
}

/** Returns an error of parsing, validation or variables. */
export const documentError = ({ message, locations, extensions }: GraphQLError): ResultError => ({
  message,
  ...(locations && { locations: locations.map(({ line, column }) => ({ line, column })) }),
  extensions: { code: 'INVALID_QUERY', ...extensions },
})

/** Returns the error of a request that only its values show, such as a variable for `@skip` that is null; undefined for what is no such error. */
export function requestError(error: unknown): ResultError | undefined {
  const deep = tooDeep(error)
  if (deep) return { message: deep.message, extensions: { code: deep.code } }
  return error instanceof GraphQLError ? documentError(error) : undefined
}

/** Returns the errors of a field: one for each problem. What is not the caller's is one fixed sentence. */
export function fieldErrors(failure: unknown, field: FailedField): readonly ResultError[] {
  const error = tooDeep(failure) ?? failure
  const problems: readonly unknown[] = isEngineError(error) ? (error.errors ?? [error]) : [error]
  return problems.map((problem) => fieldError(problem, field))
}

function fieldError(problem: unknown, { node, path, reporting }: FailedField): ResultError {
  if (!isEngineError(problem) || problem.status === 500) reporting.report(problem)
  const [{ message, extensions } = unknownError] = toErrorBody(problem).errors
  const own = isEngineError(problem) ? nodesOfErrors.get(problem) : undefined
  const { hint: _hint, ...others } = extensions
  const where = Array.isArray(extensions.path) ? { path: comparedPath(extensions.path) } : {}
  return {
    message,
    ...locationsOf(own ?? node),
    path,
    extensions: { ...(reporting.showsHints ? extensions : others), ...where },
  }
}

/** Puts `_field` where our filter has a choice of operators with names of fields. */
function comparedPath(path: Path): Path {
  const at = path.findIndex((step, index) => step === '_and' && isOperator(String(path[index + 2])))
  return at < 0 ? path : [...path.slice(0, at), '_field', ...path.slice(at + 2, at + 3)]
}

const unknownError: ErrorBody['errors'][number] = {
  message: '',
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
}

function locationsOf({ loc }: ASTNode): Pick<ResultError, 'locations'> {
  return loc ? { locations: [getLocation(loc.source, loc.start)] } : {}
}

/** The fields inside of a field at the root that errors are about. */
const nodesOfErrors = new WeakMap<EngineError, ASTNode>()

/** Runs a work, whose errors say their places in the words of a document. */
export const inDocument = <Result>(levels: LevelNodes, work: () => Result): Result =>
  // All that is caught is thrown again, so the result is that of the work, a promise or none.
  orElse<unknown>(work, (error) => {
    throw isEngineError(error) ? placed(error, levels) : error
  }) as Result

function placed(error: EngineError, levels: LevelNodes): EngineError {
  const { code, message, path = [], hint, extensions, errors, cause } = error
  if (path[0] !== 'deep' && !errors) return error
  const made = new EngineError(code, inWordsOfDocuments(message), {
    path: error.path && placeOf(path, levels),
    hint: hint && inWordsOfDocuments(hint),
    extensions,
    cause,
    ...(errors && { errors: errors.map((one) => placed(one, levels)) }),
  })
  const node = path.map((step) => levels.get(String(step))).findLast((found) => found !== undefined)
  if (node) nodesOfErrors.set(made, node)
  return made
}

/** Returns the place of a problem below a field, in the words of the document. */
function placeOf(path: Path, levels: LevelNodes): Path {
  if (path[0] !== 'deep') return path
  return path.slice(1).map((step) => {
    const node = levels.get(String(step))
    return (node?.alias ?? node?.name)?.value ?? parameters.get(step) ?? step
  })
}

/** Returns a text about a level, whose parameters are arguments in a document. */
const inWordsOfDocuments = (text: string): string =>
  text.replace(/"(_\w+)"(?: in "deep")?/g, (whole, word: string) => {
    const argument = parameters.get(word)
    return argument === undefined ? whole : `"${argument}"`
  })

/** Arguments by the names that they have in levels. */
const parameters: ReadonlyMap<unknown, string> = new Map(
  ['filter', 'sort', 'limit', 'offset', 'page', 'search', 'after', 'before'].map((name) => [
    `_${name}`,
    name,
  ]),
)
