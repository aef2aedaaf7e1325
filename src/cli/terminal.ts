import { type EngineError, fault } from '../errors/errors.ts'

/** Terminal of a command: its output, environment and version. */
export interface Terminal {
  /** Writes the requested output. */
  readonly out: (text: string) => void
  /** Writes messages about it. */
  readonly tell: (text: string) => void
  readonly environment: NodeJS.ProcessEnv
  readonly version: () => string
}

/** Exit codes of a command. */
export const exits = { done: 0, failed: 1, misused: 2 } as const
export type Exit = (typeof exits)[keyof typeof exits]

/** Returns the error for something that cannot be done here and now. */
export const failure = (message: string, hint?: string, cause?: unknown): EngineError =>
  fault('INVALID_OPTIONS', message, { hint, cause })

/** Returns the error for an invalid command line. */
export const misuse = (message: string, hint = 'See quernel --help.'): EngineError =>
  fault('INVALID_OPTIONS', message, { hint, extensions: { isMisuse: true } })
