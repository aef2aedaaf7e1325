// Errors in the form of the specification of GraphQL: with the place in the document and in the answer.
import { type ASTNode, type GraphQLError, getLocation } from 'graphql'
import { EngineError, isEngineError, type Path, toErrorBody } from '../../errors/errors.ts'

/** An error of an answer. */
export interface AnswerError {
  readonly message: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[] | undefined
  readonly path?: Path | undefined
  readonly extensions: Readonly<Record<string, unknown>>
}

/** The field of a document that failed. */
export interface FailedField {
  readonly node: ASTNode
  readonly path: Path
  /** Hears of errors that are not the caller's. */
  readonly report: (error: unknown) => void
}

/** Returns an error of parsing, validation or variables. */
export const documentError = ({ message, locations, extensions }: GraphQLError): AnswerError => ({
  message,
  ...(locations && { locations: locations.map(({ line, column }) => ({ line, column })) }),
  extensions: { code: extensions.code ?? 'INVALID_QUERY' },
})

/** Returns the errors of a field: one for each problem. What is not the caller's is one fixed sentence. */
export function fieldErrors(error: unknown, field: FailedField): readonly AnswerError[] {
  const problems: readonly unknown[] = isEngineError(error) ? (error.errors ?? [error]) : [error]
  return problems.map((problem) => fieldError(problem, field))
}

function fieldError(problem: unknown, { node, path, report }: FailedField): AnswerError {
  if (!isEngineError(problem) || problem.status === 500) report(problem)
  const [{ message, extensions } = unknownError] = toErrorBody(problem).errors
  return { message, ...locationsOf(node), path, extensions }
}

const unknownError = { message: '', extensions: {} }

function locationsOf({ loc }: ASTNode): Pick<AnswerError, 'locations'> {
  return loc ? { locations: [getLocation(loc.source, loc.start)] } : {}
}

/** Runs a work, whose errors say their places in the words of a document. `names`: response keys by the names of levels. */
export async function inDocument<Result>(
  names: ReadonlyMap<string, string>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw isEngineError(error) ? placed(error, names) : error
  }
}

function placed(error: EngineError, names: ReadonlyMap<string, string>): EngineError {
  const { code, message, path, hint, extensions, errors, cause } = error
  if (path?.[0] !== 'deep' && !errors) return error
  return new EngineError(code, message, {
    path: path && placeOf(path, names),
    hint,
    extensions,
    cause,
    ...(errors && { errors: errors.map((one) => placed(one, names)) }),
  })
}

/** Returns the place of a problem below a field, in the words of the document. */
function placeOf(path: Path, names: ReadonlyMap<string, string>): Path {
  if (path[0] !== 'deep') return path
  return path.slice(1).map((step) => names.get(String(step)) ?? parameters.get(step) ?? step)
}

/** Arguments by the names that they have in levels. */
const parameters: ReadonlyMap<unknown, string> = new Map(
  ['filter', 'sort', 'limit', 'offset', 'page', 'search'].map((name) => [`_${name}`, name]),
)
