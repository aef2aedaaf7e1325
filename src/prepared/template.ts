// A statement with open values, and the functions that bind the values of each request of its shape.
import { Late } from '../dialects/sql.ts'
import type { Path } from '../errors/errors.ts'
import type { BoundStatement } from '../execution/statement.ts'
import type { Page } from '../plan/read/read-plan.ts'
import { rowsLeft } from '../sql/nested-counts.ts'
import type { Statement } from '../sql/statement.ts'
import {
  type BindSettings,
  type BoundValue,
  boundValueOf,
  type OpenValue,
  type ReadRequestValues,
} from './bind.ts'

/** Values that a request binds to the open values of a template. */
export interface BoundValues {
  get(question: object): BoundValue | undefined
}

/** The values of a statement that was made for one request. */
export const noAnswers: BoundValues = new Map()

/** Returns the open values of a plan's statements, each once. */
export function openValuesOf(statements: readonly Statement[], pages: readonly Page[]): readonly OpenValue[] {
  const late = statements.flatMap(({ parameters }) => parameters.filter((value) => value instanceof Late))
  const asked = late.map(({ question }) => question).filter((question) => question !== rowsLeft)
  // Each other Late value refers to a test or a page.
  return [...new Set([...asked.map((question) => question as OpenValue), ...pages])]
}

/** Binds the values of a request; undefined if it does not have the shape after all. */
export function bindValues(
  questions: readonly OpenValue[],
  given: ReadRequestValues,
  settings: BindSettings,
): BoundValues | undefined {
  const answers = new Map<object, BoundValue>()
  for (const question of questions) {
    const answer = boundValueOf(question, given, settings)
    if (answer === undefined) return undefined
    answers.set(question, answer)
  }
  return answers
}

/** Binds again the open values that may differ. Undefined if the request does not have the shape. */
export function rebindValues(
  known: BoundValues,
  anew: readonly OpenValue[],
  given: ReadRequestValues,
  settings: BindSettings,
): BoundValues | undefined {
  const answers = bindValues(anew, given, settings)
  return answers && { get: (question) => answers.get(question) ?? known.get(question) }
}

/** Returns the values with which the plan itself was made. */
export function firstValues(questions: readonly OpenValue[]): BoundValues {
  return new Map(
    questions.map((question) => [question, 'operator' in question ? question.operand : question]),
  )
}

/** Values for the open values of a statement, of requests and of rows. */
export interface StatementValues {
  get(question: object): unknown
}

export function bindStatement(
  { sql, parameters: open, kind, isPacked, careful }: Statement,
  answers: StatementValues,
): BoundStatement {
  const parameters = open.map((value) =>
    value instanceof Late ? value.valueFor(answers.get(value.question) ?? value.answer) : value,
  )
  const filled = isPacked
    ? { sql, parameters, isPacked }
    : kind
      ? { sql, parameters, kind }
      : { sql, parameters }
  if (!careful) return filled
  return {
    ...filled,
    careful: () => bindStatement({ ...careful(), kind, ...(isPacked && { isPacked }) }, answers),
  }
}

/** True if each value omitted from a shape is bound to an open value. If not, another request of that shape might mean something else by
 *  it, and the template must not be used for it. */
export function asksForAll(holes: readonly Path[], questions: readonly OpenValue[]): boolean {
  const asked = new Set(questions.flatMap(pathsOf))
  // A list is bound as a whole.
  return holes.every(
    (hole) =>
      asked.has(JSON.stringify(hole)) || (isElement(hole) && asked.has(JSON.stringify(hole.slice(0, -1)))),
  )
}

const isElement = (path: Path) => typeof path.at(-1) === 'number'

function pathsOf(question: OpenValue): string[] {
  const { path } = question
  if ('operator' in question) {
    const isShort = path.at(-1) === '_eq'
    return [JSON.stringify(path), ...(isShort ? [JSON.stringify(path.slice(0, -1))] : [])]
  }
  const prefix = path.length === 0 ? '' : '_'
  return ['limit', 'offset', 'page'].map((name) => JSON.stringify([...path, `${prefix}${name}`]))
}
