import type { GraphQLSchema } from 'graphql'
import { createGraphQLSchema } from '../../../src/graphql.ts'
import type { Engine } from '../../../src/index.ts'
import type { Host, Told } from './host.ts'

/** The part of the package that is used here. Its own types bring those of browsers into the whole project. */
interface YogaPackage {
  readonly createYoga: (options: {
    readonly schema: (context: { readonly engine: Engine }) => GraphQLSchema
    readonly logging: boolean
  }) => {
    readonly fetch: (
      url: string,
      request: RequestInit,
      context: { readonly engine: Engine },
    ) => Promise<Response>
    readonly dispose: () => Promise<void>
  }
}

/** GraphQL Yoga, with the schema of each caller. */
export const yoga: Host = {
  name: 'GraphQL Yoga',
  from: 'graphql-yoga',
  open: async () => {
    const { createYoga }: YogaPackage = await import(yoga.from)
    const server = createYoga({ schema: ({ engine }) => createGraphQLSchema(engine), logging: false })
    return {
      ask: async (engine, asking) => {
        const request = {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(asking),
        }
        const response = await server.fetch('http://localhost/graphql', request, { engine })
        return (await response.json()) as Told
      },
      close: async () => server.dispose(),
    }
  },
}
