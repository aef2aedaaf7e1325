import { failure } from '../errors/errors.ts'

/** Options of every call of the client. */
export interface RequestOptions {
  /** Aborts the call. A write that is on its way may be stored all the same. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds that the call may take. By default those of `connect`. */
  readonly timeoutMs?: number | undefined
}

/** Refuses unknown options, which are left when the known ones are taken: a misspelt one that is ignored does something else than was meant. */
export function refuseOptions(others: object): void {
  for (const [name, value] of Object.entries(others))
    if (value !== undefined) throw wrongOption(name, `There is no option "${name}".`)
}

export const wrongOption = (name: string, message: string) =>
  failure('INVALID_OPTIONS', message, { path: [name] })

export function positive(timeoutMs: number): number {
  if (timeoutMs > 0) return timeoutMs
  throw wrongOption('timeoutMs', '"timeoutMs" is above 0.')
}
