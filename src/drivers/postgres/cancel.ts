// Cancels the statement that a connection runs. The cancel request uses a separate connection, which needs no user and password, and none
// of a pool.
import type { PostgresPoolClient } from 'kysely'
import type { RawConnection } from '../../dialects/connections/wire.ts'
import { grace } from '../../execution/statement-timeout.ts'

/** Returns the cancel function of a client of pg. `stream`: the pool's factory of streams, if the host has its own. */
export function cancelOf(client: PostgresPoolClient, stream: unknown): Pick<RawConnection, 'cancel'> {
  return isCancellable(client) ? { cancel: () => cancel(client, stream) } : {}
}

/** The part of pg's connection that is used here. */
interface CancelWire {
  readonly ssl: unknown
  readonly sslNegotiation?: unknown
  readonly stream: { destroy(): unknown }
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(process: number, secret: number): void
  on(event: string, listener: (...input: never[]) => unknown): unknown
}

interface Cancellable {
  readonly host: string
  readonly port: number
  readonly processID: number
  readonly secretKey: number
  readonly connection: CancelWire
}

function isCancellable(client: object): client is Cancellable {
  const { host, port, processID, secretKey, connection }: Partial<Cancellable> = client
  const isKnown = typeof host === 'string' && [port, processID, secretKey].every(Number.isInteger)
  return isKnown && typeof connection?.cancel === 'function'
}

/** Sends a cancel request. Returns true if it certainly hits no later statement: the server has read it, or has never received it. */
function cancel(
  { host, port, processID, secretKey, connection }: Cancellable,
  stream: unknown,
): Promise<boolean> {
  const Another = connection.constructor as new (options: object) => CancelWire // the class that pg uses
  const { ssl, sslNegotiation } = connection
  const own = new Another({ ssl, sslNegotiation, ...(typeof stream === 'function' && { stream }) })
  return new Promise((resolve) => {
    let isSent = false
    const giveUp = () => {
      own.stream.destroy()
      resolve(!isSent)
    }
    const clock = setTimeout(giveUp, grace)
    const send = () => {
      isSent = true
      own.cancel(processID, secretKey)
    }
    own.on('connect', () => {
      if (!ssl) send()
      else if (sslNegotiation !== 'direct') own.requestSsl()
    })
    own.on('sslconnect', send)
    own.on('error', giveUp)
    // The server does not respond, and closes the connection once it is done.
    own.on('end', () => {
      clearTimeout(clock)
      resolve(true)
    })
    if (host.startsWith('/')) own.connect(`${host}/.s.PGSQL.${port}`)
    else own.connect(port, host)
  })
}
