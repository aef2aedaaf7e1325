import { type Engine, internalsOf } from '../../engine/engine.ts'
import { anything, callback, checkOptions, list, optionNames } from '../../errors/check-options.ts'
import { checkCors } from '../../http/cors.ts'
import { createMountHandler, type Handler } from '../../http/handler.ts'
import { type HandlerOptions, requireAuthenticate } from '../../http/handler-options.ts'
import type { Schema } from '../../schema/model.ts'
import { type GraphQLMountOptions, mountKinds, mountOf } from './graphql-mount.ts'

/** Options of a GraphQL handler. */
export interface GraphQLHandlerOptions<S extends Schema = Schema>
  extends Pick<
      HandlerOptions<S>,
      'authenticate' | 'token' | 'vary' | 'trustedOrigins' | 'cors' | 'bodyLimit' | 'onError'
    >,
    Omit<GraphQLMountOptions<S>, 'prefix'> {
  /** Path of the endpoint. By default `/graphql`. */
  readonly prefix?: string
}

const names = optionNames<Omit<GraphQLHandlerOptions, 'extend'> & { readonly extend?: object }>({
  ...mountKinds,
  authenticate: callback,
  token: callback,
  vary: list,
  trustedOrigins: list,
  cors: anything,
  bodyLimit: anything,
  onError: callback,
})

/** Creates an HTTP handler for GraphQL over an engine: `POST` and `GET` of the prefix, and `GET <prefix>/schema`.
 *  @example const handler = createGraphQLHandler(engine, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  const { status } = await handler(new Request('http://localhost/graphql?query={tags{id}}'))
 *  status // → 401 */
export function createGraphQLHandler<S extends Schema>(
  engine: Engine<S>,
  options: GraphQLHandlerOptions<S>,
): Handler {
  // JavaScript may leave out either.
  internalsOf(engine)
  checkOptions(options ?? {}, names)
  requireAuthenticate(options)
  checkCors(options.cors)
  return createMountHandler(engine, { ...options, prefix: '/' }, mountOf(options))
}
