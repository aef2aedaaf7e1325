import { createGraphQLSchema } from '../../../src/graphql.ts'
import type { Engine } from '../../../src/index.ts'
import type { Host, Told } from './host.ts'

/** Mercurius on Fastify, interpreted or compiled by its JIT. It has one schema for all callers. */
const mercuriusWith = (name: string, jit: number): Host => ({
  name,
  from: 'mercurius',
  open: async (whole) => {
    const [{ default: fastify }, { default: mercurius }] = await Promise.all([
      import('fastify'),
      import('mercurius'),
    ])
    const app = fastify()
    let engine: Engine = whole
    app.register(mercurius, { schema: createGraphQLSchema(whole), jit, context: () => ({ engine }) })
    return {
      ask: async (caller, asking) => {
        engine = caller
        const { body } = await app.inject({ method: 'POST', url: '/graphql', payload: { ...asking } })
        return JSON.parse(body) as Told
      },
      close: () => app.close(),
    }
  },
})

export const mercuriusHosts: readonly Host[] = [
  mercuriusWith('Mercurius', 0),
  mercuriusWith('Mercurius with its JIT', 1),
]
