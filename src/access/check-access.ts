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

const accessOptions = optionNames<Access>({
  user: anything,
  role: anything,
  roles: anything,
  policies: anything,
  variables: anything,
  admin: anything,
  rules: anything,
})
