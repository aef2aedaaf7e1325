// Values of literals in documents, as if they had been sent as JSON.
import { Kind, type ValueNode } from 'graphql'

/** Returns the plain value of a literal. */
export function literalValue(node: ValueNode, variables: Readonly<Record<string, unknown>> = {}): unknown {
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
export function exactNumber(text: string): number | string | undefined {
  const number = Number(text)
  if (!Number.isFinite(number)) return undefined
  const digits = text.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '')
  return digits.length > 15 ? text : number
}
