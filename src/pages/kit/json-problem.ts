// The first mistake in variables that are being written, and its place.
import { type JsonToken, jsonTokens } from './json-pieces.ts'

export interface TextProblem {
  readonly message: string
  readonly start: number
  readonly end: number
}

/** Returns the first problem of a text that has to be an object of JSON; undefined for a right one, and for none at all. */
export function variablesProblem(json: string): TextProblem | undefined {
  const tokens = [...jsonTokens(json)]
  const [first] = tokens
  if (!first) return undefined
  if (first.text !== '{') return problemAt(first, 'Variables are an object: { "name": value }.')
  const reading = { tokens, at: 0 }
  const problem = valueProblem(reading)
  const rest = peek(reading)
  return problem ?? (rest && problemAt(rest, 'Nothing may follow the object.'))
}

interface Reading {
  readonly tokens: readonly JsonToken[]
  at: number
}

const peek = ({ tokens, at }: Reading): JsonToken | undefined => tokens[at]

function valueProblem(reading: Reading): TextProblem | undefined {
  const token = peek(reading)
  if (token?.text === '{') return membersProblem(reading, '}')
  if (token?.text === '[') return membersProblem(reading, ']')
  if (!token || token.kind === 'sign') return expected(reading, 'A value is expected here.')
  reading.at++
  return isJson(token.text) ? undefined : problemAt(token, wordProblem(token))
}

function wordProblem({ text, kind }: JsonToken): string {
  if (!text.startsWith('"'))
    return kind === 'number' ? 'This is not a number.' : 'Texts stand in double quotes.'
  return /^"(?:\\.|[^"\\])*$/.test(text)
    ? 'The text is not closed.'
    : 'The text has a sign that JSON does not know.'
}

function membersProblem(reading: Reading, closing: '}' | ']'): TextProblem | undefined {
  reading.at++
  if (peek(reading)?.text === closing) {
    reading.at++
    return undefined
  }
  for (;;) {
    const problem = (closing === '}' ? nameProblem(reading) : undefined) ?? valueProblem(reading)
    if (problem) return problem
    const sign = peek(reading)?.text
    if (sign !== ',' && sign !== closing)
      return expected(reading, `A comma or "${closing}" is expected here.`)
    reading.at++
    if (sign === closing) return undefined
  }
}

function nameProblem(reading: Reading): TextProblem | undefined {
  const token = peek(reading)
  if (!token?.text.startsWith('"')) return expected(reading, 'A name in double quotes is expected here.')
  if (!isJson(token.text)) return problemAt(token, wordProblem(token))
  reading.at++
  if (peek(reading)?.text !== ':') return expected(reading, 'A colon is expected here.')
  reading.at++
  return undefined
}

/** A problem of the next token, or of the end. */
const expected = (reading: Reading, message: string): TextProblem =>
  problemAt(peek(reading) ?? reading.tokens.at(-1), message)

const problemAt = (token: JsonToken | undefined, message: string): TextProblem => ({
  message,
  start: token?.start ?? 0,
  end: (token?.start ?? 0) + (token?.text.length ?? 1),
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
