// Rights of the authors of rows, as the host tells them.
import type { Access } from '../../access/access.ts'
import { fault } from '../../errors/errors.ts'
import type { FlowsOptions } from '../flow-options.ts'

/** Milliseconds for which rights are kept: a flow before a write asks for them under its locks. */
const keptMs = 10_000
/** Maximum number of authors whose rights are kept. */
const mostKept = 1_000

export class AuthorAccess {
  readonly #access: FlowsOptions['access']
  readonly #kept = new Map<
    string | number,
    { readonly access: Promise<Access | null>; readonly until: number }
  >()

  constructor(access: FlowsOptions['access']) {
    this.#access = access
  }

  /** Returns the rights of an author; null if they have none. */
  of(author: string | number): Promise<Access | null> {
    const now = performance.now()
    const known = this.#kept.get(author)
    if (known && known.until > now) return known.access
    const access = this.#ask(author)
    if (this.#kept.size >= mostKept) this.#kept.clear()
    this.#kept.set(author, { access, until: now + keptMs })
    // The flow that has asked fails with the error; the next one asks again.
    access.catch(() => this.#kept.delete(author))
    return access
  }

  async #ask(author: string | number): Promise<Access | null> {
    if (!this.#access)
      throw fault('INVALID_OPTIONS', 'Nobody knows the rights of authors: give createFlows "access".')
    return (await this.#access('author', { user: author, role: null })) ?? null
  }
}
