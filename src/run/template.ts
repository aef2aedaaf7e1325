// A statement whose values are still open, with what it takes to fill them in for each request of its shape.
import { Late } from '../dialects/sql.ts'
import type { Path } from '../errors.ts'
import type { Page } from '../plan/read-plan.ts'
import type { Statement } from '../sql/statement.ts'
import { type Answer, answerOf, type Given, type Question, type Rules } from './answers.ts'

export interface Filled {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Its rows come as one JSON text. */
  readonly isPacked?: true
  /** The same for rows that hold what JSON does not. */
  readonly careful?: (() => Filled) | undefined
}

/** What a request answers to the questions of a template. */
export interface Answers {
  get(question: object): Answer | undefined
}

/** All that the statements of one plan ask, each question once. */
export function questionsOf(statements: readonly Statement[], pages: readonly Page[]): readonly Question[] {
  const late = statements.flatMap(({ parameters }) => parameters.filter((value) => value instanceof Late))
  // Whoever makes a Late value asks a test or a page.
  return [...new Set([...late.map(({ question }) => question as Question), ...pages])]
}

/** The answers of a request; undefined when it is not of the shape after all. */
export function answersOf(questions: readonly Question[], given: Given, rules: Rules): Answers | undefined {
  const answers = new Map<object, Answer>()
  for (const question of questions) {
    const answer = answerOf(question, given, rules)
    if (answer === undefined) return undefined
    answers.set(question, answer)
  }
  return answers
}

/** The same answers, but for questions that are asked anew. Undefined when the request is not of the shape. */
export function answersBut(
  known: Answers,
  anew: readonly Question[],
  given: Given,
  rules: Rules,
): Answers | undefined {
  const answers = answersOf(anew, given, rules)
  return answers && { get: (question) => answers.get(question) ?? known.get(question) }
}

/** The answers that the plan itself was made with. */
export function firstAnswers(questions: readonly Question[]): Answers {
  return new Map(
    questions.map((question) => [question, 'operator' in question ? question.operand : question]),
  )
}

export function fill(
  { sql, parameters: open, isPacked, careful }: Statement,
  answers: { get(question: object): unknown },
): Filled {
  const parameters = open.map((value) =>
    value instanceof Late ? value.valueFor(answers.get(value.question) ?? value.answer) : value,
  )
  const filled = isPacked ? { sql, parameters, isPacked } : { sql, parameters }
  if (!careful) return filled
  return { ...filled, careful: () => fill(isPacked ? { ...careful(), isPacked } : careful(), answers) }
}

/** Whether every value left out of a shape is asked for by some question. If not, another request of that shape might mean something
 *  else by it, and the template must not be used for it. */
export function asksForAll(holes: readonly Path[], questions: readonly Question[]): boolean {
  const asked = new Set(questions.flatMap(pathsOf))
  // A list is asked for as a whole.
  return holes.every(
    (hole) =>
      asked.has(JSON.stringify(hole)) || (isElement(hole) && asked.has(JSON.stringify(hole.slice(0, -1)))),
  )
}

const isElement = (path: Path) => typeof path.at(-1) === 'number'

function pathsOf(question: Question): string[] {
  const { path } = question
  if ('operator' in question) {
    const isShort = path.at(-1) === '_eq'
    return [JSON.stringify(path), ...(isShort ? [JSON.stringify(path.slice(0, -1))] : [])]
  }
  const prefix = path.length === 0 ? '' : '_'
  return ['limit', 'offset', 'page'].map((name) => JSON.stringify([...path, `${prefix}${name}`]))
}
