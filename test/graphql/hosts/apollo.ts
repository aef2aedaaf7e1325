import { createGraphQLSchema } from '../../../src/graphql.ts'
import type { Engine } from '../../../src/index.ts'
import type { Host, Told } from './host.ts'

/** Apollo Server. It has one schema for all callers. */
export const apollo: Host = {
  name: 'Apollo Server',
  from: '@apollo/server',
  open: async (whole) => {
    const { ApolloServer } = await import('@apollo/server')
    const server = new ApolloServer<{ engine: Engine }>({
      schema: createGraphQLSchema(whole),
      includeStacktraceInErrorResponses: false,
    })
    return {
      ask: async (engine, asking) => {
        const { body } = await server.executeOperation({ ...asking }, { contextValue: { engine } })
        if (body.kind !== 'single') throw new Error('An answer in parts.')
        return JSON.parse(JSON.stringify(body.singleResult)) as Told
      },
      close: () => server.stop(),
    }
  },
}
