// The token of the caller. One that a function returned is kept until the server refuses it.

import { wrongOption } from './request-options.ts'

/** Token of a caller, or a function that returns it; null for none. */
export type TokenOption = string | null | (() => string | null | Promise<string | null>)

/** Returns the token of now: the same promise until it is refused. Given a refused one, returns a newer token, the same for all that have the refused
 *  one; undefined if there is no other. */
export type TokenSource = (refused?: Promise<Token>) => Promise<Token> | undefined

type Token = string | null | undefined

export function tokenSource(option: TokenOption = null): TokenSource {
  let kept: Promise<Token> | undefined
  return (refused) => {
    if (refused && typeof option !== 'function') return undefined
    if (kept && kept !== refused) return kept
    const read = readNow(option)
    kept = read
    // A failure is no token: this request fails with it, and the next one tries again.
    read.catch(() => {
      if (kept === read) kept = undefined
    })
    return read
  }
}

async function readNow(option: TokenOption): Promise<string | null> {
  const token = typeof option === 'function' ? await option() : option
  if (token === null || (typeof token === 'string' && /^[!-~]+$/.test(token))) return token
  // The token itself is a secret, and stands in no message.
  throw wrongOption('token', 'A token is visible ASCII.')
}
