import type { Schema } from '../../schema/model.ts'
import { anyFeed, coreOf, type Feed } from '../create-feed.ts'
import { handleSockets } from './handle-sockets.ts'
import { SharedReads } from './shared-reads.ts'
import type { SocketHandler, SocketOptions } from './socket-handler.ts'
import { SocketSession } from './socket-session.ts'
import { socketSettings } from './socket-settings.ts'

/** Answers sockets over a feed, in the protocol of the installed base. It knows no library of sockets: `toWs` is for `ws`.
 *  @example const feed = createFeed(engine, { source: localSource() })
 *  const sockets = createSocketHandler(feed, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  sockets.status() // → { sockets: 0, unnamed: 0 }
 *  await feed.stop() */
export function createSocketHandler<S extends Schema>(
  feed: Feed<S>,
  options: SocketOptions<S>,
): SocketHandler {
  const core = coreOf(anyFeed(feed))
  // Options of a host are described by its own types.
  const settings = socketSettings(options as unknown as SocketOptions, core.onError)
  const reads = new SharedReads()
  return handleSockets(anyFeed(feed), settings, {
    sessionOf: (room, connection) => new SocketSession(room, reads, connection),
  })
}
