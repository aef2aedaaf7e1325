// The text of an answer, made of the texts of its fields.

import type { ResultError } from './result-error.ts'

export interface Answer {
  readonly isRefused: boolean
  readonly text: string
  /** Why the request itself was refused. */
  readonly problems?: readonly ResultError[]
}

export const memberText = (name: string, text: string): string => `${JSON.stringify(name)}:${text}`

/** Returns the text of an answer. A member that may not be null and failed leaves nothing. */
export function dataText(
  members: readonly (string | undefined)[],
  errors: readonly ResultError[],
  extensions?: object,
): string {
  const data = members.includes(undefined) ? 'null' : `{${members.join(',')}}`
  const failed = errors.length > 0 ? `"errors":${JSON.stringify(errors)},` : ''
  const more = extensions ? `,"extensions":${JSON.stringify(extensions)}` : ''
  return `{${failed}"data":${data}${more}}`
}

/** The answer to a request that is refused before anything runs. */
export const refused = (errors: readonly ResultError[]): Answer => ({
  isRefused: true,
  text: JSON.stringify({ errors }),
  problems: errors,
})
