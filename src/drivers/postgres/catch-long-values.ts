// A value that is longer than a text of JavaScript can be. pg meets it in a listener of its socket, where what is thrown would end the process.
import { codeOf } from '../../dialects/error-codes.ts'
import { breakOff, isWire } from '../../dialects/postgres/wire.ts'
import { fault } from '../../errors/errors.ts'

/** The part of a socket that is used here. */
interface Socket {
  listeners(event: 'data'): readonly ((chunk: unknown) => unknown)[]
  on(event: 'data', listener: (chunk: unknown) => void): unknown
  off(event: 'data', listener: (chunk: unknown) => unknown): unknown
}

/** Ends the connection of a client of pg with its call, where a value cannot be read. */
export function catchLongValues(client: object): void {
  const { connection }: { readonly connection?: unknown } = Object(client)
  const { stream }: { readonly stream?: unknown } = Object(connection)
  if (!isWire(connection) || !isSocket(stream)) return
  for (const listener of stream.listeners('data')) {
    let isBroken = false
    stream.on('data', (chunk) => {
      // The parser would meet the same value again.
      if (isBroken) return
      try {
        listener.call(stream, chunk)
      } catch (error) {
        if (codeOf(error) !== 'ERR_STRING_TOO_LONG') throw error
        isBroken = true
        breakOff(connection, tooLong(error))
      }
    })
    stream.off('data', listener)
  }
}

const isSocket = (input: unknown): input is Socket =>
  typeof input === 'object' &&
  input !== null &&
  ['listeners', 'on', 'off'].every((method) => typeof Reflect.get(input, method) === 'function')

const tooLong = (cause: unknown) =>
  fault('INVALID_QUERY', 'A value of the answer is longer than a text may be.', {
    hint: 'Ask for fewer items or fields.',
    cause,
  })
