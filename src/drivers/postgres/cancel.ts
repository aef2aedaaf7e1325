// A request to end what a connection runs. It goes by a connection of its own, which the server asks for no name and no password; so it
// needs none of a pool.
import type { PostgresPoolClient } from 'kysely'
import type { RawConnection } from '../../dialects/wire.ts'
import { grace } from '../../execution/statement-timeout.ts'

/** How a client is cancelled, where it is one of pg's. `stream`: what its pool makes streams by, where the host has a way of its own. */
export function cancelOf(client: PostgresPoolClient, stream: unknown): Pick<RawConnection, 'cancel'> {
  return isCancellable(client) ? { cancel: () => cancel(client, stream) } : {}
}

/** As much of pg's own as is needed here. */
interface CancelWire {
  readonly ssl: unknown
  readonly sslNegotiation?: unknown
  readonly stream: { destroy(): unknown }
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(process: number, secret: number): void
  on(event: string, listener: (...given: never[]) => unknown): unknown
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

/** Answers whether it is certain that it hits nothing later: the server has read it, or has never got it. */
function cancel(
  { host, port, processID, secretKey, connection }: Cancellable,
  stream: unknown,
): Promise<boolean> {
  const Another = connection.constructor as new (options: object) => CancelWire // the class that pg has made it of
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
    // The server says nothing to it, and hangs up once it is done.
    own.on('end', () => {
      clearTimeout(clock)
      resolve(true)
    })
    if (host.startsWith('/')) own.connect(`${host}/.s.PGSQL.${port}`)
    else own.connect(port, host)
  })
}
