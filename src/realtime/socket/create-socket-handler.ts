// Sockets over a feed.

import { onAbort } from '../../errors/abort-signal.ts'
import type { Schema } from '../../schema/model.ts'
import { anyFeed, coreOf, type Feed } from '../create-feed.ts'
import { Admissions } from './admission.ts'
import { SharedReads } from './shared-reads.ts'
import type { OpenSocket, SocketConnection, SocketHandler, SocketOptions } from './socket-handler.ts'
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
  const { limits } = settings
  const admissions = new Admissions(settings, core.stopping)
  const sessions = new Set<SocketSession>()
  const unnamed = new Set<SocketSession>()
  const room = {
    ...{ feed: anyFeed(feed), settings, admissions, reads: new SharedReads() },
    onNamed: (session: SocketSession) => void unnamed.delete(session),
    onClosed: (session: SocketSession) => {
      sessions.delete(session)
      unnamed.delete(session)
    },
  }
  const isFull = (asking: number): boolean =>
    core.stopping.aborted ||
    sessions.size + asking >= limits.sockets ||
    unnamed.size + asking >= limits.unnamed
  onAbort(core.stopping, () => {
    for (const session of [...sessions]) session.close(1001, 'The service is being stopped.')
  })
  const open = (connection: SocketConnection): OpenSocket => {
    const session = new SocketSession(room, connection)
    if (isFull(0)) {
      session.close(1013, 'There are as many sockets as may be.')
      return session
    }
    sessions.add(session)
    unnamed.add(session)
    session.begin()
    return session
  }
  return Object.freeze<SocketHandler>({
    admit: (request) => admissions.admit(request, isFull(admissions.asking)),
    open,
    messageBytes: limits.messageBytes,
    onError: settings.onError,
    status: () => ({ sockets: sessions.size, unnamed: unnamed.size }),
  })
}
