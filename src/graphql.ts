export { createGraphQLSchema, printGraphQLSchema } from './graphql/schema/create-graphql-schema.ts'
export type { GraphQLNameRemark } from './graphql/schema/name-claims.ts'
export { reportGraphQLNames } from './graphql/schema/report-names.ts'
export type { GraphQLNames, GraphQLSchemaOptions } from './graphql/schema/schema-options.ts'
