import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { type FaultDetails, fault, isEngineError, quote } from '../errors/errors.ts'
import { nearest } from '../errors/suggest.ts'
import { isRecord } from '../values/guards.ts'
import { isOfCaller, readVariable, type VariableName, variables } from '../vocabulary/variables.ts'
import type { Access } from './access.ts'

/** Checks an access as the host gave it. `details`: those of the error for what is none. */
export function checkAccess(input: unknown, details?: FaultDetails): Readonly<Record<string, unknown>> {
  if (isRecord(input) && !isEngineError(input)) {
    checkOptions(input, accessOptions)
    return input
  }
  throw fault('INVALID_OPTIONS', `An access is an object, not ${quote(input)}.`, details)
}

/** Checks the names of the variables of an access: any other would never be asked for. */
export function checkVariables(input: Readonly<Record<string, unknown>> = {}): void {
  for (const name of Object.keys(input)) {
    const variable = readVariable(name)
    if (variable && isOfCaller(variable.name) && variable.adjustment === undefined) continue
    const ofCaller = (Object.keys(variables) as VariableName[]).filter(isOfCaller)
    const near = nearest(name, ofCaller)
    const own = 'A value of the host\'s goes by a path, such as "$CURRENT_USER.tenant".'
    throw fault(
      'INVALID_OPTIONS',
      `"variables" of an access holds ${ofCaller.join(', ')} and paths of them, not ${quote(name)}.`,
      { path: ['variables', name], hint: near === undefined ? own : `Did you mean "${near}"? ${own}` },
    )
  }
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
export function requireUnexpired(end: number, now: Date | number): void {
  if (Number(now) >= end) throw fault('TOKEN_EXPIRED', 'This access has expired.')
}

export const accessOptions = optionNames<Access>({
  user: anything,
  role: anything,
  roles: anything,
  policies: anything,
  variables: anything,
  admin: anything,
  rules: anything,
  expiresAt: anything,
})
