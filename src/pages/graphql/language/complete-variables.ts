// Suggestions where the cursor stands in the variables: their names, the fields of inputs, and values that are known.

import { type JsonToken, jsonTokens } from '../../kit/json-pieces.ts'
import { type Completion, matchingWords, type Suggestion } from './complete.ts'
import { definitionsOf } from './definitions.ts'
import { elementOf, type KnownInput, type KnownSchema, nameOfType } from './known-schema.ts'

type OpenValue =
  | {
      readonly kind: 'object'
      readonly members: ReadonlyMap<string, Member>
      readonly taken: Set<string>
      /** Type of the value that comes next; undefined before a name. */
      awaited: string | undefined
      /** True behind a value. */
      isOver: boolean
    }
  | { readonly kind: 'list'; readonly type: string }

type Member = Pick<KnownInput, 'name' | 'type'> & Partial<Pick<KnownInput, 'description'>>

/** Returns what fits at the cursor of the variables for a document, best first. */
export function completeVariables(
  json: string,
  cursor: number,
  { document, schema }: { readonly document: string; readonly schema: KnownSchema | undefined },
): Completion {
  const tokens = [...jsonTokens(json)]
  const word = tokens.find((token) => token.start < cursor && cursor <= endOf(token) && isWord(token))
  const start = word?.start ?? cursor
  const inner = openBefore(
    tokens.filter((one) => one.start < start),
    variablesOf(document),
    schema,
  )
  const written = json.slice(start, cursor).replace('"', '')
  return {
    start,
    end: word ? endOf(word) : cursor,
    suggestions: matchingWords(wordsIn(inner, schema), written, quoted),
  }
}

const isWord = ({ kind }: JsonToken): boolean => kind !== 'sign' && kind !== 'number'

/** End of a token. One that is not closed ends with its name: the rest of the line is not a part of it. */
const endOf = ({ start, text }: JsonToken): number =>
  start + (/^"(?:\\.|[^"\\])*"$|^[^"]/.test(text) ? text : (/^"\w*/.exec(text)?.[0] ?? '')).length

const quoted = ({ text }: Suggestion): string => text.replace('"', '')

const variablesOf = (document: string): ReadonlyMap<string, Member> =>
  new Map(
    definitionsOf(document).flatMap(({ variables }) => variables.map((one) => [one.name, one] as const)),
  )

/** Returns the innermost value that is open behind the tokens; undefined outside of the object. */
function openBefore(
  tokens: readonly JsonToken[],
  variables: ReadonlyMap<string, Member>,
  schema: KnownSchema | undefined,
): OpenValue | undefined {
  const open: OpenValue[] = []
  for (const { kind, text } of tokens) {
    const inner = open.at(-1)
    const type = inner?.kind === 'list' ? inner.type : (inner?.awaited ?? '')
    if (text === '{') {
      const members = inner ? (schema?.types.get(nameOfType(type))?.inputs ?? new Map()) : variables
      open.push({ kind: 'object', members, taken: new Set(), awaited: undefined, isOver: false })
    } else if (text === '[') open.push({ kind: 'list', type: elementOf(type) })
    else if (text === '}' || text === ']') open.pop()
    if (inner?.kind === 'object') take(inner, kind, text)
  }
  return open.at(-1)
}

function take(object: Extract<OpenValue, { kind: 'object' }>, kind: JsonToken['kind'], text: string): void {
  if (kind === 'key') {
    const name = text.slice(1, -1)
    object.taken.add(name)
    object.awaited = object.members.get(name)?.type ?? ''
  } else if (text === ',') {
    object.awaited = undefined
    object.isOver = false
  } else if (text !== ':') object.isOver = true
}

function wordsIn(inner: OpenValue | undefined, schema: KnownSchema | undefined): readonly Suggestion[] {
  if (!inner) return []
  if (inner.kind === 'object' && inner.isOver) return []
  if (inner.kind === 'list') return valuesOf(inner.type, schema)
  if (inner.awaited !== undefined) return valuesOf(inner.awaited, schema)
  return [...inner.members.values()]
    .filter(({ name }) => !inner.taken.has(name))
    .map(({ name, type, description }) => ({
      text: `"${name}"`,
      tail: ': ',
      detail: type,
      ...(description && { description }),
    }))
}

function valuesOf(type: string, schema: KnownSchema | undefined): readonly Suggestion[] {
  const name = nameOfType(type)
  const values = schema?.types.get(name)?.values ?? []
  return [
    ...values.map((one) => ({ ...one, text: `"${one.name}"`, detail: name })),
    ...(name === 'Boolean' ? [{ text: 'true' }, { text: 'false' }] : []),
    ...(type === '' || type.endsWith('!') ? [] : [{ text: 'null' }]),
  ]
}
