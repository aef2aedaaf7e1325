import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault, isEngineError, quote } from '../errors/errors.ts'
import { isRecord } from '../values/guards.ts'
import type { Access } from './access.ts'

/** Checks an access as the host gave it. */
export function checkAccess(input: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(input) && !isEngineError(input)) {
    checkOptions(input, accessOptions)
    return input
  }
  throw fault('INVALID_OPTIONS', `An access is an object that describes the caller, not ${quote(input)}.`, {
    hint: 'Respond with 401 before; {} sees nothing, and the engine itself sees everything.',
  })
}

/** Returns the milliseconds at which an access ends; undefined if it does not. */
export function endOf({ expiresAt }: Readonly<Record<string, unknown>>): number | undefined {
  if (expiresAt === undefined) return undefined
  const end = Number(expiresAt)
  if ((expiresAt instanceof Date || typeof expiresAt === 'number') && !Number.isNaN(end)) return end
  throw fault('INVALID_OPTIONS', `"expiresAt" is a date or its milliseconds, not ${quote(expiresAt)}.`, {
    path: ['expiresAt'],
  })
}

/** Throws if an access has ended. What was begun before goes on. */
export function requireUnexpired(end: number | undefined, clock: () => Date | number): void {
  if (end !== undefined && Number(clock()) >= end)
    throw fault('TOKEN_EXPIRED', 'The access of this caller has expired.')
}

const accessOptions = optionNames<Access>({
  user: anything,
  role: anything,
  roles: anything,
  policies: anything,
  variables: anything,
  admin: anything,
  rules: anything,
  expiresAt: anything,
})
