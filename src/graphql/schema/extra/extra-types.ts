// Types of extra fields: scalars and lists of them, and the values that they take.
import {
  GraphQLError,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
  Kind,
  parseType,
  print,
  type TypeNode,
} from 'graphql'
import { isDate, isRecord } from '../../../values/guards.ts'
import { scalars } from '../scalars.ts'

type ExtraType =
  | GraphQLScalarType
  | GraphQLList<ExtraType>
  | GraphQLNonNull<GraphQLScalarType | GraphQLList<ExtraType>>

/** Returns a value as JSON has it. What JSON cannot hold, such as a circle, is refused. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Returns a value as an answer shows it; undefined if it is none of the type. */
type Shown = (value: unknown) => unknown

const only =
  (holds: (value: unknown) => boolean): Shown =>
  (value) =>
    holds(value) ? value : undefined
const text = only((value) => typeof value === 'string')

/** Scalars of extra fields. Others belong to filters and to hidden values. */
const shownBy = {
  Boolean: only((value) => typeof value === 'boolean'),
  Date: (value) => (isDate(value) && Number.isFinite(value.getTime()) ? value.toISOString() : text(value)),
  Float: only(Number.isFinite),
  GraphQLBigInt: (value) =>
    typeof value === 'bigint' || Number.isSafeInteger(value) || /^-?\d+$/.test(String(text(value)))
      ? String(value)
      : undefined,
  GraphQLGeoJSON: (value) => (isRecord(value) ? asJson(value) : undefined),
  ID: (value) => (Number.isSafeInteger(value) ? String(value) : text(value)),
  Int: only(Number.isSafeInteger),
  JSON: asJson,
  String: text,
} as const satisfies { readonly [Name in keyof typeof scalars]?: Shown }

export const extraScalars = Object.keys(shownBy) as readonly (keyof typeof shownBy)[]

/** Returns the text of a type in the one form that it has; undefined if it is none that an extra field can have. */
export function extraType(input: string): string | undefined {
  try {
    const node = parseType(input, { maxTokens: longestType })
    return Object.hasOwn(shownBy, scalarIn(node)) ? print(node) : undefined
  } catch (error) {
    if (error instanceof GraphQLError) return undefined
    throw error
  }
}

const longestType = 16

function scalarIn(node: TypeNode): string {
  return node.kind === Kind.NAMED_TYPE ? node.name.value : scalarIn(node.type)
}

/** Makes the type of a text that is known to be one. */
export const typeOfText = (input: string): ExtraType => made(parseType(input))

function made(node: TypeNode): ExtraType {
  if (node.kind === Kind.NON_NULL_TYPE) return new GraphQLNonNull(nullable(node.type))
  return nullable(node)
}

function nullable(
  node: Exclude<TypeNode, { kind: Kind.NON_NULL_TYPE }>,
): GraphQLScalarType | GraphQLList<ExtraType> {
  if (node.kind === Kind.LIST_TYPE) return new GraphQLList(made(node.type))
  return scalars[node.name.value as keyof typeof shownBy] // `extraType` has let it pass
}

/** Returns a function that shows values of a type as JSON has them; for others it returns undefined. */
export const shownAs = (input: string): Shown => shown(parseType(input))

function shown(node: TypeNode): Shown {
  if (node.kind === Kind.NON_NULL_TYPE) {
    const inner = shown(node.type)
    return (value) => inner(value) ?? undefined
  }
  const present: Shown =
    node.kind === Kind.LIST_TYPE
      ? elements(shown(node.type))
      : shownBy[node.name.value as keyof typeof shownBy]
  return (value) => (value === null || value === undefined ? null : present(value))
}

const elements =
  (one: Shown): Shown =>
  (value) => {
    if (!Array.isArray(value)) return undefined
    const all = value.map((element: unknown) => one(element))
    return all.includes(undefined) ? undefined : all
  }
