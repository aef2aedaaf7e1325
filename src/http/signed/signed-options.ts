// The option `signed` of a handler.
import type { Access } from '../../access/access.ts'
import { callback, checkOptions, list, optionNames } from '../../errors/check-options.ts'
import { fault } from '../../errors/errors.ts'
import type { Schema } from '../../schema/model.ts'

/** Signed addresses for what takes no token: pictures, downloads, exports. */
export interface SignedOptions<S extends Schema = Schema> {
  /** Secrets of at least 32 characters. The first one signs, and each is accepted, so that one can replace another. */
  readonly keys: readonly string[]
  /** Returns the id by which the caller is found again. It can be read in the address. A handler of several tenants names the tenant in it. */
  readonly idOf: (access: Access<S>, request: Request) => Promise<string> | string
  /** Returns the access that a caller has by now; null for none. It is called whenever a signed address is used. */
  readonly accessOf: (id: string, request: Request) => Promise<Access<S> | null> | Access<S> | null
}

const signedOptions = optionNames<SignedOptions>({ keys: list, idOf: callback, accessOf: callback })

export function checkSigned(input: unknown): void {
  if (input === undefined) return
  checkOptions(input, signedOptions, ['signed'])
  const { keys = [], idOf, accessOf } = input as Partial<SignedOptions> // its kinds are checked
  const isKey = (key: unknown) => typeof key === 'string' && key.length >= shortestKey
  if (!idOf || !accessOf || keys.length === 0 || !keys.every(isKey))
    throw fault(
      'INVALID_OPTIONS',
      `"signed" needs "idOf", "accessOf" and "keys" of at least ${shortestKey} characters.`,
      {
        path: ['signed'],
      },
    )
}

const shortestKey = 32
