// Rejects: what an operation answers when it fails, as it stands in the data chain.
import { EngineError, type ErrorCode, fault, isEngineError, type Path } from '../errors/errors.ts'
import { isRecord } from '../values/guards.ts'
import { copyPayload, isNoJson, type JsonCopy, mostResult, type NoJson } from './chain/chain.ts'

/** A failed operation, as the data chain holds it. */
export interface Rejection {
  readonly code: string
  readonly status: number
  readonly message: string
  readonly extensions: Readonly<Record<string, unknown>>
}

/** An error with the code and the status that a flow has chosen. */
class ChosenError extends EngineError {
  /** True if it is the same however often the operation is repeated. */
  readonly #isLasting: boolean

  constructor({ code, status, message, extensions }: Rejection, isLasting: boolean) {
    super('FAILED_VALIDATION', message, { extensions })
    // A flow may answer with a code of its own.
    Object.assign(this, { code, status })
    this.#isLasting = isLasting
  }

  static isLasting(error: unknown): boolean {
    return error instanceof ChosenError && error.#isLasting
  }
}

/** Returns an error with a code of its own. `isLasting`: true if repeating the operation would not change it. */
export const chosenError = (rejection: Rejection, isLasting = false): EngineError =>
  new ChosenError(rejection, isLasting)

/** Returns the error of what takes too long, after which the transaction of a flow goes on. */
export const tooLong = (message: string, isLasting?: boolean): EngineError =>
  chosenError({ code: 'OUT_OF_TIME', status: 408, message, extensions: {} }, isLasting)

/** True for an error of the outside that may pass: any that is not a mistake of the request. */
export const mayPass = (error: unknown): boolean =>
  !isEngineError(error) ||
  (!ChosenError.isLasting(error) && (error.status >= 500 || error.status === 408 || error.status === 429))

/** Returns the error of an operation that was given bad values. */
export const badValue = (message: string, path?: Path): EngineError =>
  fault('INVALID_PAYLOAD', message, { path })

/** Returns the error of a mistake of the host's. */
export const badOption = (message: string, path?: Path, hint?: string): EngineError =>
  fault('INVALID_OPTIONS', message, { path, hint })

/** Returns the place of an issue of zod. */
export const stepsOfIssue = (path: readonly PropertyKey[]): Path =>
  path.map((step) => (typeof step === 'symbol' ? String(step) : step))

/** Returns the copy of a value, and throws what is wrong with one that is no JSON. `name`: what the value is. */
export function jsonOr(copy: JsonCopy | NoJson, name: string, at: Path = []): JsonCopy {
  if (isNoJson(copy)) throw badValue(`${name} ${copy.says}.`, [...at, ...copy.path])
  return copy
}

/** Returns an error as the data chain holds it. */
export function rejectionOf(error: unknown): Rejection {
  if (!isEngineError(error))
    return {
      code: 'INTERNAL_SERVER_ERROR',
      status: 500,
      message: messageOf(error),
      extensions: {},
    }
  const { code, status, message, path, extensions } = error
  return { code, status, message, extensions: jsonOf({ ...extensions, ...(path && { path }) }) }
}

/** Returns the message of an error of others. Some carry what a server has answered in the place of a text, or make it when it is read. */
function messageOf(error: unknown): string {
  const unknown = 'An operation has failed.'
  try {
    const message: unknown = error instanceof Error ? error.message : undefined
    return typeof message === 'string' ? message.slice(0, longest) : unknown
  } catch {
    return unknown
  }
}

/** Returns what an error carries as it is stored. Classes of the host's may turn into any text when they are: only what is plain is kept. */
function jsonOf(extensions: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const copy = copyPayload(extensions, mostResult)
  return !isNoJson(copy) && isRecord(copy.value) ? copy.value : {}
}

const longest = 480

/** Returns the error with which a write fails that a flow has refused. An error that says nothing to callers is not shown to them. */
export function refusal(flow: string, error: unknown): EngineError {
  if (isEngineError(error) && error.status !== 500) return error
  return fault('FAILED_VALIDATION', `The flow "${flow}" has refused this.`, { cause: error })
}

/** True for the errors after which the transaction of a flow is in doubt: no operation of the flow handles them. */
export function isFinal(error: unknown): boolean {
  const codes: readonly ErrorCode[] = ['SERVICE_UNAVAILABLE', 'OUT_OF_TIME']
  return isEngineError(error) && codes.includes(error.code) && !(error instanceof ChosenError)
}
