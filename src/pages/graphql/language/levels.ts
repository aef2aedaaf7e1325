// The levels of a document, one in the other. Each takes the words and signs inside of it, and knows what may come next.
import type { DocumentToken, DocumentTokenKind } from './document-tokens.ts'
import { elementOf, type KnownInput, type KnownSchema, type KnownType, nameOfType } from './known-schema.ts'

export type Place =
  /** Outside of all definitions. */
  | { readonly kind: 'definition' }
  /** Among the fields of a type, and behind three dots there. */
  | { readonly kind: 'selection' | 'spread'; readonly type: KnownType | undefined }
  /** Behind "on"; `type` is that of the selection around it. */
  | { readonly kind: 'condition'; readonly type: KnownType | undefined }
  /** Behind the name of a new fragment. */
  | { readonly kind: 'on' }
  /** Among arguments or the fields of an input. */
  | {
      readonly kind: 'input'
      readonly inputs: ReadonlyMap<string, KnownInput>
      readonly taken: ReadonlySet<string>
    }
  /** Behind the colon of one of them, and in a list. */
  | { readonly kind: 'value'; readonly type: string; readonly isConstant: boolean }
  | { readonly kind: 'variable-type' }
  | { readonly kind: 'directive'; readonly location: string }
  /** A place for nothing, or only for a new name, a number, a text or a comment. */
  | { readonly kind: 'nothing' }

export interface DocumentLevel {
  /** Sign that ends it. */
  readonly closing: string
  readonly isSelection?: true
  /** Takes a word or a sign, and returns the level that it opens. A sign that cannot stand here is refused. */
  readonly take: (token: DocumentToken) => DocumentLevel | 'refused' | undefined
  /** Returns what may be written next; `word` is the kind of a word that has been begun. */
  readonly place: (word: DocumentTokenKind | undefined) => Place
}

type Known = KnownSchema | undefined
type Inputs = ReadonlyMap<string, KnownInput>

export const nothing: Place = { kind: 'nothing' }
const noInputs: Inputs = new Map()

export function wholeDocument(schema: Known): DocumentLevel {
  let state: 'start' | 'header' | 'fragment' | 'on' | 'condition' = 'start'
  let type = schema?.roots.get('query') ?? ''
  let location = 'QUERY'
  let args: Inputs | undefined
  const takeName = (text: string): void => {
    if (operations.test(text)) {
      state = 'header'
      type = schema?.roots.get(text) ?? ''
      location = text.toUpperCase()
    } else if (text === 'fragment' && state === 'start') state = 'fragment'
    else if (state === 'fragment') state = 'on'
    else if (state === 'on' && text === 'on') state = 'condition'
    else if (state === 'condition') {
      state = 'header'
      type = text
      location = 'FRAGMENT_DEFINITION'
    }
  }
  return {
    closing: '',
    take: ({ kind, text }) => {
      if (kind === 'name') takeName(text)
      if (kind === 'directive') args = directiveArgs(schema, text)
      if (text === '(') return args ? inputsOf(args, ')', schema) : variables(schema)
      if (text !== '{') return undefined
      const inside = selection(schema?.types.get(type), schema)
      state = 'start'
      args = undefined
      type = schema?.roots.get('query') ?? ''
      return inside
    },
    place: (word) => {
      if (word === 'directive') return { kind: 'directive', location }
      if (word === 'variable') return nothing
      if (state === 'start') return { kind: 'definition' }
      if (state === 'on') return { kind: 'on' }
      return state === 'condition' ? { kind: 'condition', type: undefined } : nothing
    },
  }
}

const operations = /^(query|mutation|subscription)$/

const directiveArgs = (schema: Known, text: string): Inputs =>
  schema?.directives.get(text.slice(1))?.args ?? noInputs

function selection(type: KnownType | undefined, schema: Known): DocumentLevel {
  let inner: KnownType | undefined
  let args = noInputs
  let awaits: '' | 'spread' | 'condition' = ''
  let location = 'FIELD'
  const takeName = (name: string): void => {
    if (awaits === 'spread' && name === 'on') {
      awaits = 'condition'
      return
    }
    if (awaits === 'spread') location = 'FRAGMENT_SPREAD'
    else if (awaits === 'condition') inner = schema?.types.get(name)
    else {
      const field = type?.fields.get(name)
      inner = field && schema?.types.get(nameOfType(field.type))
      args = field?.args ?? noInputs
      location = 'FIELD'
    }
    awaits = ''
  }
  return {
    closing: '}',
    isSelection: true,
    take: ({ kind, text }) => {
      if (kind === 'name') takeName(text)
      if (kind === 'directive') args = directiveArgs(schema, text)
      if (text === '...') {
        awaits = 'spread'
        location = 'INLINE_FRAGMENT'
        inner = type
      }
      if (text === '(') return inputsOf(args, ')', schema)
      if (text !== '{') return undefined
      awaits = ''
      return selection(inner, schema)
    },
    place: (word) => {
      if (word === 'directive') return { kind: 'directive', location }
      if (word === 'variable') return nothing
      return { kind: awaits || 'selection', type }
    },
  }
}

/** Arguments, or the fields of an input. */
function inputsOf(inputs: Inputs, closing: ')' | '}', schema: Known, isConstant = false): DocumentLevel {
  const taken = new Set<string>()
  let name = ''
  let awaited: string | undefined
  return {
    closing,
    take: ({ kind, text }) => {
      if (text === ':') {
        taken.add(name)
        awaited = inputs.get(name)?.type ?? ''
        return undefined
      }
      if (kind === 'name') name = text
      if (awaited === undefined) return text === '{' && closing === ')' ? 'refused' : undefined
      const type = awaited
      awaited = undefined
      return insideOf(text, type, schema, isConstant)
    },
    place: (word) => {
      if (awaited !== undefined && word !== 'directive') return { kind: 'value', type: awaited, isConstant }
      return word === undefined || word === 'name' ? { kind: 'input', inputs, taken } : nothing
    },
  }
}

function listOf(type: string, schema: Known, isConstant: boolean): DocumentLevel {
  return {
    closing: ']',
    take: ({ text }) => insideOf(text, type, schema, isConstant),
    place: (word) => (word === 'directive' ? nothing : { kind: 'value', type, isConstant }),
  }
}

/** The level that a value of several parts opens. */
function insideOf(sign: string, type: string, schema: Known, isConstant: boolean): DocumentLevel | undefined {
  if (sign === '[') return listOf(elementOf(type), schema, isConstant)
  if (sign !== '{') return undefined
  return inputsOf(schema?.types.get(nameOfType(type))?.inputs ?? noInputs, '}', schema, isConstant)
}

function variables(schema: Known): DocumentLevel {
  let state: 'name' | 'type' | 'value' = 'name'
  let type = ''
  let args: Inputs | undefined
  return {
    closing: ')',
    take: ({ kind, text }) => {
      if (kind === 'variable') {
        state = 'name'
        args = undefined
      } else if (kind === 'directive') args = directiveArgs(schema, text)
      else if (text === '(' && args) return inputsOf(args, ')', schema, true)
      else if (text === ':') {
        state = 'type'
        type = ''
      } else if (text === '=') state = 'value'
      else if (state === 'type') type += text
      else if (state === 'value') {
        state = 'name'
        return insideOf(text, type, schema, true)
      } else if (text === '{') return 'refused'
      return undefined
    },
    place: (word) => {
      if (word === 'directive') return { kind: 'directive', location: 'VARIABLE_DEFINITION' }
      if (word === 'variable' || state === 'name') return nothing
      if (state === 'value') return { kind: 'value', type, isConstant: true }
      return nameOfType(type) === '' ? { kind: 'variable-type' } : nothing
    },
  }
}
