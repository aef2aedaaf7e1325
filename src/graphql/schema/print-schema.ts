// Prints a schema as text: the roots first, then scalars, unions, types and inputs, each by name.
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  printType,
} from 'graphql'

/** Returns the text of a schema. It is the same for the same schema. */
export function printSchemaText(schema: GraphQLSchema): string {
  const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => type != null)
  const others = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter((type) => !roots.some((root) => root === type))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1))
  return `${[...roots, ...others].map((type) => printType(type)).join('\n\n')}\n`
}

const ranks: readonly ((type: GraphQLNamedType) => boolean)[] = [
  isScalarType,
  isUnionType,
  isObjectType,
  isInputObjectType,
]

const rankOf = (type: GraphQLNamedType): number => ranks.findIndex((is) => is(type))
