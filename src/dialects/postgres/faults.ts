import type { ErrorCode } from '../../errors.ts'
import { codeOf } from '../error-codes.ts'

/** By SQLSTATE, or by the code of the connection's own failure. */
export function faultOf(error: unknown): ErrorCode | undefined {
  const code = codeOf(error)
  if (code === undefined) return isLostConnection(error) ? 'SERVICE_UNAVAILABLE' : undefined
  const { [code]: known = classes[code.slice(0, 2)] } = codes
  return known
}

const codes: Readonly<Record<string, ErrorCode>> = {
  '22003': 'VALUE_OUT_OF_RANGE',
  '57014': 'OUT_OF_TIME',
  '57P01': 'SERVICE_UNAVAILABLE',
  '57P03': 'SERVICE_UNAVAILABLE',
  '55P03': 'SERVICE_UNAVAILABLE',
  ECONNREFUSED: 'SERVICE_UNAVAILABLE',
  ECONNRESET: 'SERVICE_UNAVAILABLE',
  EAI_AGAIN: 'SERVICE_UNAVAILABLE',
  EHOSTUNREACH: 'SERVICE_UNAVAILABLE',
  ENOTFOUND: 'SERVICE_UNAVAILABLE',
  EPIPE: 'SERVICE_UNAVAILABLE',
  ETIMEDOUT: 'SERVICE_UNAVAILABLE',
}

const classes: Readonly<Record<string, ErrorCode>> = {
  '08': 'SERVICE_UNAVAILABLE', // the connection
  '53': 'SERVICE_UNAVAILABLE', // the server's memory, disk or connections
}

/** What the driver says of its own connections has no code. */
const isLostConnection = (error: unknown) =>
  error instanceof Error &&
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  )
