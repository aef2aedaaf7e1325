import type { TextProblem } from '../../kit/json-problem.ts'

export interface ListedError {
  readonly message: string
  /** Its code and its hint, and where in the answer it is. */
  readonly code: string
  readonly hint: string
  readonly path: string
  readonly lines: readonly { readonly line: number; readonly column: number }[]
}

export function errorsIn(answer: unknown): readonly ListedError[] {
  const errors: unknown = Reflect.get(Object(answer), 'errors')
  return Array.isArray(errors) ? errors.map(readError) : []
}

export function errorsInText(text: string): readonly ListedError[] {
  try {
    return errorsIn(JSON.parse(text))
  } catch {
    return [{ message: 'The answer is not valid JSON.', code: '', hint: '', path: '', lines: [] }]
  }
}

function readError(error: unknown): ListedError {
  const member = (name: string): unknown => Reflect.get(Object(error), name)
  const extension = (name: string): unknown => Reflect.get(Object(member('extensions')), name)
  const locations = member('locations')
  return {
    message: text(member('message')) || 'An error without a message.',
    code: text(extension('code')),
    hint: text(extension('hint')),
    path: [...list(member('path')), ...list(extension('path'))].map(String).join('.'),
    lines: list(locations).flatMap((one) => {
      const [line, column] = [Reflect.get(Object(one), 'line'), Reflect.get(Object(one), 'column')]
      return typeof line === 'number' && typeof column === 'number' ? [{ line, column }] : []
    }),
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the places of an error in the document that was sent: the word that begins there, or the end of the line before. */
export function rangesOf(document: string, { lines, message }: ListedError): readonly TextProblem[] {
  return lines.map(({ line, column }) => {
    const before = document.split('\n').slice(0, line - 1)
    const at = Math.min(before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1, document.length)
    const [word = ''] = /^(?:[$@]?\w+|\.{3}|\S)/.exec(document.slice(at)) ?? []
    // An error at the very end has nothing below which a line could stand.
    const start = word === '' ? document.slice(0, at).trimEnd().length - 1 : at
    return { message, start: Math.max(start, 0), end: Math.max(start, 0) + Math.max(word.length, 1) }
  })
}
