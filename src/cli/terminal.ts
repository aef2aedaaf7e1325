import { type EngineError, fault } from '../errors/errors.ts'
import type { LoadPackage } from './load-package.ts'

export interface Terminal {
  /** Writes the requested output. */
  readonly out: (text: string) => void
  /** Writes messages about it. */
  readonly print: (text: string) => void
  readonly environment: NodeJS.ProcessEnv
  readonly version: () => string
  /** Folder of the files of new projects. */
  readonly templates: string
  readonly load: LoadPackage
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

/** Prints all problems of an error, with what to do about each. */
export function printError(error: EngineError, { print }: Terminal): void {
  for (const { message, hint } of error.errors ?? [error])
    print(`quernel: ${message}${hint === undefined ? '' : `\n  ${hint}`}\n`)
}

/** Returns the message of an error without its full stop. After several addresses it is that of the first. */
export function reasonOf(error: unknown): string {
  const one: unknown = error instanceof AggregateError && error.message === '' ? error.errors[0] : error
  return (one instanceof Error ? one.message : String(one)).replace(/\.$/, '')
}

/** The sentence that says how to get the package `graphql`, which the command finds beside itself only. */
export const installGraphQL = 'Install it beside the command: npm install quernel graphql'
