// A case of versions: what is saved, what is asked then, and what comes of it.
import type { EngineError } from '../../src/index.ts'

export interface VersionCase {
  readonly title: string
  readonly of?: 'articles' | 'site'
  /** What the version `draft` of the item holds. */
  readonly delta: object
  readonly query: object
  readonly expect: unknown
}

export const told = ({ code, path, message }: EngineError) => ({ code, ...(path && { path }), message })

/** What went wrong. */
export async function refusal(work: () => Promise<unknown>): Promise<unknown> {
  return work().then(
    () => 'it worked',
    (error: EngineError) => ({ code: error.code, ...(error.path && { path: error.path }) }),
  )
}
