// The token of the caller. One that a function returned is kept until the server refuses it.

import { EngineError } from '../errors/errors.ts'

/** Token of a caller, or a function that returns it; null for none. */
export type TokenOption = string | null | (() => string | null | Promise<string | null>)

/** The token of requests. */
export interface TokenSource {
  /** Returns the token of now. The same promise until it is renewed. */
  readonly current: () => Promise<string | null>
  /** Returns a newer token than one that was refused, for all that have the refused one; undefined if there is no other. */
  readonly renewed: (refused: Promise<string | null>) => Promise<string | null> | undefined
}

export function readToken(option: TokenOption = null): TokenSource {
  let kept: Promise<string | null> | undefined
  const current = (): Promise<string | null> => {
    if (kept) return kept
    const read = readNow(option)
    kept = read
    // A failure is no token: this request fails with it, and the next one tries again.
    read.catch(() => {
      if (kept === read) kept = undefined
    })
    return read
  }
  return {
    current,
    renewed: (refused) => {
      if (typeof option !== 'function') return undefined
      if (kept === refused) kept = undefined
      return current()
    },
  }
}

async function readNow(option: TokenOption): Promise<string | null> {
  const token = typeof option === 'function' ? await option() : option
  if (token === null || (typeof token === 'string' && /^[!-~]+$/.test(token))) return token
  // The token itself is a secret, and stands in no message.
  throw new EngineError('INVALID_OPTIONS', 'A token is a text of visible ASCII.', { path: ['token'] })
}
