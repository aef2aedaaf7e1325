// A request to a handler of node:http without a connection: what is measured is what the server does, and no client.
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'

/** Returns the text of the response.
 *  @example await requested(toNode(handler), 'GET', '/items/notes', undefined) */
export function requested(
  listener: RequestListener,
  method: string,
  path: string,
  body: string | undefined,
): Promise<string> {
  const { promise, resolve, reject } = pending()
  const socket = new Quiet()
  // A socket is a Duplex with more than is used here.
  const request = new IncomingMessage(socket as unknown as ConstructorParameters<typeof IncomingMessage>[0])
  request.method = method
  request.url = path
  request.httpVersionMajor = 1
  request.httpVersionMinor = 1
  request.headers =
    body === undefined
      ? { host: 'localhost' }
      : {
          host: 'localhost',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }
  const response = new ServerResponse(request)
  response.assignSocket(socket as unknown as Parameters<typeof response.assignSocket>[0])
  response.on('finish', () => {
    const { statusCode } = response
    const text = Buffer.concat(socket.chunks).toString()
    const sent = text.slice(text.indexOf('\r\n\r\n') + 4)
    if (statusCode < 300) resolve(sent)
    else reject(new Error(`${statusCode}: ${sent}`))
  })
  if (body !== undefined) request.push(body)
  request.push(null)
  request.complete = true
  listener(request, response)
  return promise
}

/** The end of a connection that only keeps what is written. */
class Quiet extends Duplex {
  readonly chunks: Buffer[] = []
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }
}

function pending() {
  let resolve: (text: string) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<string>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}
