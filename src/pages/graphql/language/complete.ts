import { type Definition, definitionsOf } from './definitions.ts'
import { type KnownSchema, type KnownType, nameOfType } from './known-schema.ts'
import type { Place } from './levels.ts'
import { placeIn } from './place.ts'

export interface Suggestion {
  /** Its name, which is written. */
  readonly text: string
  /** Text that is written behind it. */
  readonly tail?: string
  readonly detail?: string
  readonly description?: string
  readonly isDeprecated?: boolean
}

export interface Completion {
  /** Range that a suggestion replaces. */
  readonly start: number
  readonly end: number
  readonly suggestions: readonly Suggestion[]
}

/** Returns what fits at the cursor, best first. Without a schema these are the names of the document itself. */
export function complete(document: string, cursor: number, schema: KnownSchema | undefined): Completion {
  const { place, prefix, start, end } = placeIn(document, cursor, schema)
  const defined = definitionsOf(document)
  const all = suggestionsAt(place, { schema, defined, start, isHidden: prefix.startsWith('__') })
  return { start, end, suggestions: matchingWords(all, prefix) }
}

interface Around {
  readonly schema: KnownSchema | undefined
  readonly defined: readonly Definition[]
  readonly start: number
  /** True if names of GraphQL itself are wanted. */
  readonly isHidden: boolean
}

function suggestionsAt(place: Place, around: Around): readonly Suggestion[] {
  const { schema } = around
  switch (place.kind) {
    case 'definition':
      return [...(schema?.roots.keys() ?? ['query', 'mutation']), 'fragment'].map((text) => ({
        text,
        tail: ' ',
      }))
    case 'selection':
      return fieldsOf(place.type, around)
    case 'spread':
      return spreadsIn(place.type, around)
    case 'condition':
      return conditionsIn(place.type, around).map((text) => ({ text }))
    case 'on':
      return [{ text: 'on', tail: ' ' }]
    case 'input':
      return [...place.inputs.values()]
        .filter(({ name }) => !place.taken.has(name))
        .map(({ name, type, description }) => ({ text: name, tail: ': ', detail: type, description }))
    case 'value':
      return valuesOf(place, around)
    case 'variable-type':
      return typesOf(around, ['SCALAR', 'ENUM', 'INPUT_OBJECT'])
    case 'directive':
      return [...(schema?.directives.values() ?? [])]
        .filter(({ locations }) => locations.includes(place.location))
        .map(({ name, description }) => ({ text: `@${name}`, description }))
        .sort(byText)
    case 'nothing':
      return []
  }
}

function fieldsOf(type: KnownType | undefined, { schema, isHidden }: Around): readonly Suggestion[] {
  const fields = [...(type?.fields.values() ?? [])].map(({ name, type, description, isDeprecated }) => ({
    ...{ text: name, detail: type, description, isDeprecated },
  }))
  const isRoot = type !== undefined && type.name === schema?.roots.get('query')
  return [
    ...fields,
    ...(type && composite.includes(type.kind) ? [{ text: '__typename', detail: 'String!' }] : []),
    ...(isRoot && isHidden
      ? [
          { text: '__schema', detail: '__Schema!' },
          { text: '__type', detail: '__Type' },
        ]
      : []),
  ]
}

function spreadsIn(type: KnownType | undefined, around: Around): readonly Suggestion[] {
  const fitting = conditionsIn(type, around)
  const fragments = around.defined.filter(
    ({ kind, name, on }) => kind === 'fragment' && name !== '' && (!type || fitting.includes(on)),
  )
  return [...fragments.map(({ name, on }) => ({ text: name, detail: on })), { text: 'on', tail: ' ' }]
}

/** Kinds of types that have something to be selected. */
const composite = ['OBJECT', 'INTERFACE', 'UNION']

/** Names of types that an item of a type may have, too. */
function conditionsIn(type: KnownType | undefined, around: Around): readonly string[] {
  const all = typesOf(around, composite).map(({ text }) => text)
  if (!type) return all
  const meant = (name: string): readonly string[] => [
    name,
    ...(around.schema?.types.get(name)?.possible ?? []),
  ]
  const own = meant(type.name)
  return all.filter((name) => meant(name).some((one) => own.includes(one)))
}

const typesOf = ({ schema, isHidden }: Around, kinds: readonly string[]): readonly Suggestion[] =>
  [...(schema?.types.values() ?? [])]
    .filter(({ name, kind }) => kinds.includes(kind) && (isHidden || !name.startsWith('__')))
    .map(({ name, description }) => ({ text: name, description }))
    .sort(byText)

const byText = (one: Suggestion, other: Suggestion): number => (one.text < other.text ? -1 : 1)

function valuesOf(
  { type, isConstant }: { readonly type: string; readonly isConstant: boolean },
  around: Around,
): readonly Suggestion[] {
  const named = around.schema?.types.get(nameOfType(type))
  const values = (named?.values ?? []).map(({ name, description, isDeprecated }) => ({
    ...{ text: name, detail: nameOfType(type), description, isDeprecated },
  }))
  return [
    ...(isConstant ? [] : variablesFor(type, around)),
    ...values,
    ...(named?.name === 'Boolean' ? [{ text: 'true' }, { text: 'false' }] : []),
    ...(named && !type.endsWith('!') ? [{ text: 'null' }] : []),
  ]
}

/** Variables of the operation, or of all operations for a fragment; those of the type first. */
function variablesFor(type: string, { defined, start }: Around): readonly Suggestion[] {
  const own = defined.findLast((one) => one.start <= start)
  const operations = own && own.kind !== 'fragment' ? [own] : defined
  const variables = new Map(operations.flatMap((one) => one.variables).map((one) => [one.name, one]))
  const isOfType = (other: string): number => Number(nameOfType(other) === nameOfType(type))
  return [...variables.values()]
    .sort((one, other) => isOfType(other.type) - isOfType(one.type))
    .map((one) => ({ text: `$${one.name}`, detail: one.type }))
}

/** Returns those that begin with what is written, and then those that hold it. */
export function matchingWords(
  all: readonly Suggestion[],
  prefix: string,
  nameOf = ({ text }: Suggestion): string => text,
): readonly Suggestion[] {
  const written = prefix.toLowerCase()
  const places = all.map((suggestion) => ({
    suggestion,
    at: nameOf(suggestion).toLowerCase().indexOf(written),
  }))
  const beginning = places.filter(({ at }) => at === 0)
  const holding = places.filter(({ at }) => at > 0)
  return [...beginning, ...holding].map(({ suggestion }) => suggestion)
}
