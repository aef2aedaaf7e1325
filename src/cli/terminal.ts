import { type EngineError, fault } from '../errors/errors.ts'

/** Where a command is run. */
export interface Terminal {
  /** Writes what was asked for. */
  readonly out: (text: string) => void
  /** Writes what is said about it. */
  readonly tell: (text: string) => void
  readonly environment: NodeJS.ProcessEnv
  readonly version: () => string
}

/** How a command ends. */
export const exits = { done: 0, failed: 1, misused: 2 } as const
export type Exit = (typeof exits)[keyof typeof exits]

/** Something that cannot be done here and now. */
export const failure = (message: string, hint?: string, cause?: unknown): EngineError =>
  fault('INVALID_OPTIONS', message, { hint, cause })

/** A command that says no clear thing. */
export const misuse = (message: string, hint = 'See quernel --help.'): EngineError =>
  fault('INVALID_OPTIONS', message, { hint, extensions: { isMisuse: true } })
