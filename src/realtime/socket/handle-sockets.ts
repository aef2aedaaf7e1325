// The sockets of a handler, whatever they speak.

import { onAbort } from '../../errors/abort-signal.ts'
import { Unsent } from '../bytes/unsent-bytes.ts'
import { coreOf, type Feed } from '../create-feed.ts'
import { Admissions } from './admission.ts'
import { Outbox } from './outbox.ts'
import { MessageBucket } from './read-message.ts'
import { SocketCaller } from './socket-caller.ts'
import type { OpenSocket, SocketConnection, SocketHandler } from './socket-handler.ts'
import type { SocketSettings } from './socket-settings.ts'

/** A socket that is open, and what its handler does with it. */
export interface Session extends OpenSocket {
  /** Begins: waits until it is said who it is, or asks by the request. */
  begin(): void
  close(code: number, reason: string): void
}

/** A handler as its sockets share it. */
export interface SocketRoom {
  readonly feed: Feed
  readonly settings: SocketSettings
  readonly admissions: Admissions
  /** Called when a socket has said who it is. */
  readonly onNamed: (session: Session) => void
  readonly onClosed: (session: Session) => void
}

/** Opens the parts that a socket has in any protocol. `close`: ends it, with a code and a reason. */
export function openParts(
  { settings, feed, admissions }: SocketRoom,
  connection: SocketConnection,
  close: Session['close'],
) {
  const { limits, onError } = settings
  const caller = new SocketCaller(feed, settings, admissions.named(connection.request))
  const { rights } = caller
  rights.breakOff = (isAtOnce) => {
    close(1013, 'This socket takes nothing.')
    if (isAtOnce) connection.terminate?.()
  }
  const outbox = new Outbox(connection, new Unsent(coreOf(feed).unsent, rights), (error) => {
    onError(error)
    close(1011, 'This socket has failed.')
  })
  return { caller, outbox, bucket: new MessageBucket(limits.messages, limits.messagesPerSecond) }
}

/** Words in which sockets speak. */
interface SocketProtocol {
  /** Name that clients ask for. Absent = they ask for none. */
  readonly name?: string
  readonly sessionOf: (room: SocketRoom, connection: SocketConnection) => Session
}

/** Returns the handler of sockets that speak a protocol. */
export function handleSockets(
  feed: Feed,
  settings: SocketSettings,
  { name, sessionOf }: SocketProtocol,
): SocketHandler {
  const { stopping } = coreOf(feed)
  const { limits } = settings
  const admissions = new Admissions(settings, stopping)
  const sessions = new Set<Session>()
  const unnamed = new Set<Session>()
  const room: SocketRoom = {
    ...{ feed, settings, admissions },
    onNamed: (session) => void unnamed.delete(session),
    onClosed: (session) => {
      sessions.delete(session)
      unnamed.delete(session)
    },
  }
  const isFull = (asking: number): boolean =>
    stopping.aborted || sessions.size + asking >= limits.sockets || unnamed.size + asking >= limits.unnamed
  onAbort(stopping, () => {
    for (const session of [...sessions]) session.close(1001, 'The service is shutting down.')
  })
  const open = (connection: SocketConnection): OpenSocket => {
    const session = sessionOf(room, connection)
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
    ...(name !== undefined && { protocol: name }),
    onError: settings.onError,
    status: () => ({ sockets: sessions.size, unnamed: unnamed.size }),
  })
}
