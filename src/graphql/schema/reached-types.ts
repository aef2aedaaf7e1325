import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isUnionType,
} from 'graphql'

/** Returns all types that some types lead to, themselves included. GraphQL.js would find them by itself, but goes down each path to its end, and
 *  relations between a thousand collections are a path that is too long for the stack. */
export function reachedTypes(from: readonly GraphQLObjectType[]): readonly GraphQLNamedType[] {
  const reached = new Set<GraphQLNamedType>(from)
  // A set that is walked through shows what is added meanwhile.
  for (const type of reached) for (const next of namedBy(type)) reached.add(next)
  return [...reached]
}

function namedBy(type: GraphQLNamedType): readonly GraphQLNamedType[] {
  if (isUnionType(type)) return type.getTypes()
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => getNamedType(field.type))
  if (!isObjectType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [
    getNamedType(field.type),
    ...field.args.map((argument) => getNamedType(argument.type)),
  ])
}
