// Statements of a transaction that wait for its next one, and are sent with it: that saves their way to the server and back.
import { isHeld } from '../../dialects/connections/statement-mark.ts'

export interface BoundText {
  readonly text: string
  readonly values: readonly unknown[]
}

export class HeldStatements {
  #held: readonly BoundText[] = []

  /** Returns what is sent in front of a statement. Undefined if nothing is sent: the statement waits for the next one, or ends a part or a transaction
   *  of which the server knows nothing. */
  ahead(statement: BoundText): readonly BoundText[] | undefined {
    const { text } = statement
    const part = ownPart.exec(text)
    if (part && this.#isUnknown(part)) return undefined
    const begins = isBegin(statement)
    // A rollback would undo the part before, which has the same name, if its release failed in the same flight.
    const isAgain = part?.[1] === undefined && this.#held.some((held) => held.text === `release ${text}`)
    if (begins || isHeld(text) || (part && part[1] !== 'rollback to ' && !isAgain)) {
      this.#held = begins ? [statement] : [...this.#held, statement]
      return undefined
    }
    const held = this.take()
    const [first] = held
    if (!first) return held
    const isUnknown = isBegin(first)
    // Held statements belong to the part that is undone.
    if (text.startsWith('rollback')) return isUnknown ? undefined : []
    return text === 'commit' && isUnknown && held.length === 1 ? undefined : held
  }

  take(): readonly BoundText[] {
    const held = this.#held
    if (held.length > 0) this.#held = []
    return held
  }

  /** Ends a part whose beginning is still held: what is held behind that is left out if the part is undone. */
  #isUnknown([, ends = '', name]: readonly string[]): boolean {
    const at = ends === '' ? -1 : this.#held.findLastIndex(({ text }) => text === `savepoint ${name}`)
    const isUndone = ends === 'rollback to '
    if (at < 0 || !(isUndone || at === this.#held.length - 1)) return false
    this.#held = this.#held.slice(0, isUndone ? at + 1 : at)
    return true
  }
}

/** The statements by which the engine begins and ends a part of a transaction. Nothing reads their result. */
const ownPart = /^(release |rollback to )?savepoint (quernel_\d+)$/

/** The statements by which Kysely begins transactions. */
const beginnings = /^(?:begin|start transaction(?: (?:isolation level|read) [a-z ]+)?)$/

export const isBegin = (statement: BoundText | undefined): boolean =>
  statement !== undefined && beginnings.test(statement.text)
