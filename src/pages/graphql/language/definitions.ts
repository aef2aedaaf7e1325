// The operations and fragments of a document, with their variables, however unfinished the document is.
import { type DocumentToken, documentTokens } from './document-tokens.ts'

export interface Definition {
  /** `query`, `mutation`, `subscription` or `fragment`. */
  readonly kind: string
  /** Empty for an operation without a name. */
  readonly name: string
  readonly on: string
  readonly variables: readonly DefinedVariable[]
  readonly start: number
  readonly end: number
}

interface DefinedVariable {
  readonly name: string
  /** As it is written. */
  readonly type: string
}

export function definitionsOf(document: string): readonly Definition[] {
  const tokens = documentTokens(document).filter(({ kind }) => kind !== 'comment')
  const groups: DocumentToken[][] = []
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    const group = groups.at(-1) ?? []
    // An operation may be called "query". A keyword at the begin of a line begins anew, whatever is still open before it.
    const isName = group.length === 1 && kinds.test(group[0]?.text ?? '')
    const begins = depth === 0 || beginsLine(document, token, tokens[index + 1])
    const isKeyword = kinds.test(token.text) && begins && !isName
    if (isKeyword || groups.length === 0 || (depth === 0 && tokens[index - 1]?.text === '}')) {
      groups.push([])
      depth = 0
    }
    groups.at(-1)?.push(token)
    if ('{(['.includes(token.text)) depth++
    if ('})]'.includes(token.text)) depth--
  }
  return groups.flatMap((group) => definitionOf(group))
}

const kinds = /^(query|mutation|subscription|fragment)$/

const beginsLine = (document: string, { start }: DocumentToken, next: DocumentToken | undefined): boolean =>
  (start === 0 || document[start - 1] === '\n') && next?.kind === 'name'

function definitionOf(group: readonly DocumentToken[]): readonly Definition[] {
  const [first, second] = group
  const last = group.at(-1)
  if (!first || !last || (first.text !== '{' && !kinds.test(first.text))) return []
  const isShort = first.text === '{'
  const isNamed = !isShort && second?.kind === 'name'
  return [
    {
      kind: isShort ? 'query' : first.text,
      name: isNamed ? second.text : '',
      on: first.text === 'fragment' && group[2]?.text === 'on' ? (group[3]?.text ?? '') : '',
      variables: isShort ? [] : variablesIn(group.slice(isNamed ? 2 : 1)),
      start: first.start,
      end: last.end,
    },
  ]
}

/** Variables in the brackets behind the name of an operation. */
function variablesIn([first, ...rest]: readonly DocumentToken[]): readonly DefinedVariable[] {
  if (first?.text !== '(') return []
  const variables: { name: string; type: string }[] = []
  let isType = false
  // A default may be an object, whose names are no types.
  let depth = 0
  for (const [index, { kind, text }] of rest.entries()) {
    if (text === ')') break
    if (text === '{') depth++
    if (text === '}') depth--
    if (depth > 0) continue
    if (kind === 'variable' && rest[index + 1]?.text === ':')
      variables.push({ name: text.slice(1), type: '' })
    const variable = variables.at(-1)
    if (variable && isType && (kind === 'name' || '[]!'.includes(text))) variable.type += text
    else isType = text === ':'
  }
  return variables
}
