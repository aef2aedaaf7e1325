// The scalars. `Int` and `Float` are our own under the names of the usual ones: they pass integers of 53 bits, and the digits of decimals.
import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  type ValueNode,
} from 'graphql'
import { isRecord } from '../../values/guards.ts'

const isText = (value: unknown): boolean => typeof value === 'string'

export const scalars = {
  Boolean: GraphQLBoolean,
  Date: scalar('Date', 'A date or a time, as text in ISO 8601.', {
    holds: isText,
    says: 'a text',
    literals: [Kind.STRING],
  }),
  Float: scalar('Float', 'A number.', {
    holds: Number.isFinite,
    says: 'a number',
    literals: [],
    number: exactNumber,
    show: Number,
  }),
  GraphQLBigInt: scalar('GraphQLBigInt', 'A whole number of up to 64 bits, as text.', {
    // Variables of filters, such as `$CURRENT_USER`, are texts as well.
    holds: (value) =>
      typeof value === 'string' ? /^(?:-?\d+|\$.+)$/s.test(value) : Number.isSafeInteger(value),
    says: 'a whole number, or its text',
    literals: [Kind.STRING],
    number: (text) => (/^-?\d+$/.test(text) ? text : undefined),
    show: String,
  }),
  GraphQLGeoJSON: scalar('GraphQLGeoJSON', 'A geometry of GeoJSON.', {
    holds: isRecord,
    says: 'an object of GeoJSON',
    literals: [Kind.OBJECT],
  }),
  GraphQLJsonFilter: scalar(
    'GraphQLJsonFilter',
    'Conditions by paths of a document: { "size.w": { "_gt": 3 } }.',
    { holds: isRecord, says: 'an object of conditions by paths', literals: [Kind.OBJECT] },
  ),
  GraphQLStringOrFloat: scalar('GraphQLStringOrFloat', 'A number, or a text.', {
    holds: (value) => isText(value) || Number.isFinite(value),
    says: 'a number or a text',
    literals: [Kind.STRING],
    number: exactNumber,
  }),
  Hash: scalar('Hash', 'A hidden text: written as it is, and shown as a mask.', {
    holds: isText,
    says: 'a text',
    literals: [Kind.STRING],
  }),
  ID: GraphQLID,
  Int: scalar('Int', 'A whole number of up to 53 bits.', {
    holds: Number.isSafeInteger,
    says: 'a whole number of up to 53 bits',
    literals: [],
    number: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
    show: Number,
  }),
  JSON: scalar('JSON', 'Any value of JSON.', {
    holds: () => true,
    says: 'a value of JSON',
    literals: Object.values(Kind),
    number: Number,
  }),
  String: GraphQLString,
  Void: scalar('Void', 'No value.', { holds: () => false, says: 'no value', literals: [] }),
} as const

export type ScalarName = keyof typeof scalars

interface ScalarForm {
  readonly holds: (value: unknown) => boolean
  readonly says: string
  /** Kinds of literals, besides those of numbers. */
  readonly literals: readonly Kind[]
  /** Returns the value of a number's literal; undefined if it is refused. Absent = all are. */
  readonly number?: (text: string) => unknown
  /** The form in results. Absent = that of the value. */
  readonly show?: (value: unknown) => unknown
}

function scalar(name: string, description: string, form: ScalarForm): GraphQLScalarType {
  const { holds, says, literals, number, show = (value: unknown) => value } = form
  const refuse = (nodes?: ValueNode) =>
    new GraphQLError(`${name} takes ${says}.`, nodes ? { nodes } : undefined)
  return new GraphQLScalarType({
    name,
    description,
    serialize: show,
    parseValue: (value) => {
      if (!holds(value)) throw refuse()
      return value
    },
    parseLiteral: (node, variables) => {
      if (node.kind === Kind.INT || node.kind === Kind.FLOAT) {
        const value = number?.(node.value)
        if (value === undefined) throw refuse(node)
        return value
      }
      const value = literalValue(node, variables ?? undefined)
      if (!literals.includes(node.kind) || !holds(value)) throw refuse(node)
      return value
    },
  })
}

// Values of literals in documents, as if they had been sent as JSON.
function literalValue(node: ValueNode, variables: Readonly<Record<string, unknown>> = {}): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null
    case Kind.VARIABLE:
      return variables[node.name.value]
    case Kind.LIST:
      return node.values.map((value) => literalValue(value, variables))
    case Kind.OBJECT:
      // Not by assignment: a member may be called `__proto__`.
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, literalValue(value, variables)]),
      )
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value)
    default:
      return node.value
  }
}

/** Returns the number of a literal, or its text if a number of JavaScript has fewer digits. */
function exactNumber(text: string): number | string | undefined {
  const number = Number(text)
  if (!Number.isFinite(number)) return undefined
  const digits = text.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '')
  return digits.length > 15 ? text : number
}
