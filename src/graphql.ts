export { answerGraphQL, type GraphQLAnswerOptions } from './graphql/answer/answer-graphql.ts'
export type { GraphQLRequest, GraphQLRequestExtensions } from './graphql/answer/answer-request.ts'
export type { GraphQLDocuments } from './graphql/answer/checked-request.ts'
export { explainGraphQL, type GraphQLExplanation } from './graphql/answer/explain-graphql.ts'
export type { GraphQLLimits } from './graphql/answer/graphql-limits.ts'
export type { GraphQLContext } from './graphql/answer/resolvers.ts'
export { createGraphQLHandler, type GraphQLHandlerOptions } from './graphql/handler/graphql-handler.ts'
export { type GraphQLMountOptions, graphql } from './graphql/handler/graphql-mount.ts'
export { createGraphQLSchema, printGraphQLSchema } from './graphql/schema/create-graphql-schema.ts'
export type {
  GraphQLExtend,
  GraphQLExtraContext,
  GraphQLExtraField,
  GraphQLExtraFields,
  GraphQLExtraQuery,
  NeededItem,
} from './graphql/schema/extra/extend-options.ts'
export type { GraphQLNameRemark } from './graphql/schema/names/name-claims.ts'
export { reportGraphQLNames } from './graphql/schema/names/report-names.ts'
export type { GraphQLNames, GraphQLSchemaOptions } from './graphql/schema/schema-options.ts'
export { createGraphQLSocket, type GraphQLSocketOptions } from './graphql/socket/create-graphql-socket.ts'
