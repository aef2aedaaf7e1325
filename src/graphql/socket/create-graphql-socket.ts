import { anything, callback, checkOptions, flag, optionNames } from '../../errors/check-options.ts'
import { anyFeed, coreOf, type Feed } from '../../realtime/create-feed.ts'
import { handleSockets } from '../../realtime/socket/handle-sockets.ts'
import type { SocketHandler, SocketLimits, SocketOptions } from '../../realtime/socket/socket-handler.ts'
import { socketKinds, socketSettings } from '../../realtime/socket/socket-settings.ts'
import type { Schema } from '../../schema/model.ts'
import { type AnswerInput, checkAnswerOptions, type GraphQLAnswerOptions } from '../answer/answer-graphql.ts'
import { type GraphQLLimits, isGraphQLLimit } from '../answer/graphql-limits.ts'
import { checkSchemaOptions } from '../schema/create-graphql-schema.ts'
import { EventTexts } from './event-texts.ts'
import { GraphQLSession } from './graphql-session.ts'
import { protocolName } from './operation-message.ts'

/** Options of `createGraphQLSocket`. */
export interface GraphQLSocketOptions<S extends Schema = Schema>
  extends Omit<SocketOptions<S>, 'limits'>,
    Pick<
      GraphQLAnswerOptions<S>,
      'names' | 'extend' | 'introspection' | 'atomic' | 'documents' | 'onlyDocuments'
    > {
  /** Limits of sockets and of documents. Those that are left out have their defaults. */
  readonly limits?: SocketLimits & Partial<GraphQLLimits>
}

const names = optionNames<Omit<GraphQLSocketOptions, 'extend'> & { readonly extend?: object }>({
  ...socketKinds,
  names: anything,
  extend: anything,
  introspection: flag,
  atomic: flag,
  documents: callback,
  onlyDocuments: flag,
})

/** Answers GraphQL over sockets, in the protocol graphql-transport-ws: queries, mutations and subscriptions to events.
 *  @example const feed = createFeed(engine, { source: localSource() })
 *  const sockets = createGraphQLSocket(feed, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  sockets.protocol // → 'graphql-transport-ws'
 *  await feed.stop() */
export function createGraphQLSocket<S extends Schema>(
  feed: Feed<S>,
  options: GraphQLSocketOptions<S>,
): SocketHandler {
  const core = coreOf(anyFeed(feed))
  checkOptions(options, names)
  const {
    names: naming,
    extend,
    introspection,
    atomic,
    documents,
    onlyDocuments,
    limits,
    ...others
  } = options
  const answering: AnswerInput = {
    ...{ names: naming, extend, introspection, atomic, documents, onlyDocuments },
    subscriptions: true,
    limits: limits && limitsWhere(limits, isGraphQLLimit),
  }
  checkAnswerOptions(answering)
  checkSchemaOptions(core.host, { names: naming, extend, subscriptions: true })
  const ofSockets = limits && { limits: limitsWhere(limits, (name) => !isGraphQLLimit(name)) }
  // Options of a host are described by its own types.
  const settings = socketSettings({ ...others, ...ofSockets } as unknown as SocketOptions, core.onError)
  const texts = new EventTexts()
  return handleSockets(anyFeed(feed), settings, {
    name: protocolName,
    sessionOf: (room, connection) => new GraphQLSession(room, { answering, texts }, connection),
  })
}

const limitsWhere = (limits: object, isOne: (name: string) => boolean): object =>
  Object.fromEntries(Object.entries(limits).filter(([name]) => isOne(name)))
