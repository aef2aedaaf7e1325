// Authentication of a request: the token that it has, and the engine of its caller.
import { type Engine, internalsOf } from '../engine/engine.ts'
import { plainFault } from '../errors/code-texts.ts'
import type { Schema } from '../schema/model.ts'
import type { HandlerOptions } from './handler-options.ts'
import type { RequestWithHead } from './messages.ts'

export const bearerOf = (header: string | null | undefined): string | undefined =>
  /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1]

/** Asks the host for the engine of the caller; null for one who is not authenticated. */
export async function engineOfCaller<S extends Schema>(
  { request, head }: RequestWithHead,
  engine: Engine<S>,
  options: Pick<HandlerOptions<S>, 'authenticate' | 'token'>,
): Promise<Engine | null> {
  const token = bearerOf(head.header('authorization')) ?? options.token?.(request()) ?? null
  const access = await options.authenticate(token, request())
  if (!access) return null
  const caller = engine.as(access)
  // An access that has ended is none: not even the paths are disclosed to it.
  internalsOf(caller)
  return caller
}

/** Refuses a caller who is not authenticated: nothing is disclosed to them, not even which paths exist. */
export function authenticated(caller: Engine | null): Engine {
  if (caller) return caller
  throw plainFault('INVALID_CREDENTIALS')
}
