// Arguments of lists, in the order of the installed base.
import { type GraphQLArgumentConfig, type GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql'
import { scalars } from './scalars.ts'

type Arguments = Record<string, GraphQLArgumentConfig>

const texts = { type: new GraphQLList(scalars.String) }
const whole = { type: scalars.Int }
const text = { type: scalars.String }
const page: Arguments = { limit: whole, offset: whole, page: whole, search: text }

export const idArgument: Arguments = { id: { type: new GraphQLNonNull(scalars.ID) } }
export const idsArgument: Arguments = { ids: { type: new GraphQLNonNull(new GraphQLList(scalars.ID)) } }
export const versionArgument: Arguments = { version: text }
export const namedVersion: Arguments = { version: { type: new GraphQLNonNull(scalars.String) } }

/** Arguments of lists that are read, of items behind a field, and of lists that are written. */
export const levelArguments = (filter: GraphQLInputObjectType): Arguments => ({
  filter: { type: filter },
  sort: texts,
  ...page,
})

export const listArguments = (filter: GraphQLInputObjectType): Arguments => ({
  ...levelArguments(filter),
  after: text,
  before: text,
})

export const aggregateArguments = (
  filter: GraphQLInputObjectType,
  having: GraphQLInputObjectType,
): Arguments => ({
  groupBy: texts,
  filter: { type: filter },
  ...page,
  sort: texts,
  having: { type: having },
})
