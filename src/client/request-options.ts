import { EngineError } from '../errors/errors.ts'

/** Options of every call of the client. */
export interface RequestOptions {
  /** Aborts the call. A write that is on its way may be stored all the same. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds that the call may take. By default those of `connect`. */
  readonly timeoutMs?: number | undefined
}

/** Refuses unknown options: a misspelt one that is ignored does something else than was meant. */
export function checkNames(options: object, names: readonly string[]): void {
  for (const name of Object.keys(options))
    if (!names.includes(name) && Reflect.get(options, name) !== undefined)
      throw new EngineError('INVALID_OPTIONS', `There is no option "${name}".`, { path: [name] })
}

/** Refuses a timeout that is not above 0. */
export function checkTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || timeoutMs > 0) return
  throw new EngineError('INVALID_OPTIONS', '"timeoutMs" is above 0.', { path: ['timeoutMs'] })
}
