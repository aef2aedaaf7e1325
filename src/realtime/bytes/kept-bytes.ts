// The memory of the lists of a feed and of its messages on their way, and what of it each of its callers takes.

import type { Access } from '../../access/access.ts'

/** Returns the name under which the lists of a caller are added up: those of all who have none are those of one. */
export function payerOf({ user, admin }: Access): string {
  if (user !== undefined && user !== null) return JSON.stringify(user)
  return admin === true ? 'admin' : 'anonymous'
}

interface Kept {
  bytes: number
  /** Numbers of subscriptions. */
  readonly payers: Map<string, number>
  /** The last caller who left; set while the list has no readers. */
  left: string | undefined
}

export class KeptBytes<List> {
  readonly #lists = new Map<List, Kept>()
  readonly #payers = new Map<string, number>()
  /** Bytes on their way, by those who pay. */
  readonly #sent = new Map<string, number>()
  /** Called when lists take less than before. */
  onLess: (() => void) | undefined
  #all = 0
  #allSent = 0

  /** Bytes of all lists. */
  get all(): number {
    return this.#all
  }

  /** Bytes of the lists of a caller. */
  of(payer: string): number {
    return this.#payers.get(payer) ?? 0
  }

  /** Bytes on their way to all callers. */
  get sent(): number {
    return this.#allSent
  }

  /** Bytes on their way to a caller. */
  sentTo(payer: string): number {
    return this.#sent.get(payer) ?? 0
  }

  /** Notes bytes on their way to a caller, or, if they are negative, that they are no longer. */
  send(payer: string, more: number): void {
    this.#allSent += more
    add(this.#sent, payer, more)
  }

  /** The caller who last left a list without readers. */
  leftBy(list: List): string | undefined {
    return this.#lists.get(list)?.left
  }

  set(list: List, bytes: number): void {
    const kept = this.#lists.get(list) ?? { bytes: 0, payers: new Map(), left: undefined }
    this.#lists.set(list, kept)
    const more = bytes - kept.bytes
    kept.bytes = bytes
    this.#all += more
    for (const payer of kept.payers.keys()) add(this.#payers, payer, more)
    if (kept.left !== undefined) add(this.#payers, kept.left, more)
    if (more < 0) this.onLess?.()
  }

  /** Notes a subscription of a caller. */
  join(list: List, payer: string): void {
    const kept = this.#lists.get(list)
    if (!kept) return
    if (kept.left !== undefined) add(this.#payers, kept.left, -kept.bytes)
    kept.left = undefined
    const count = kept.payers.get(payer) ?? 0
    if (count === 0) add(this.#payers, payer, kept.bytes)
    kept.payers.set(payer, count + 1)
  }

  /** Notes the end of one. A list without readers still counts for the caller who left it last. */
  leave(list: List, payer: string): void {
    const kept = this.#lists.get(list)
    const count = kept?.payers.get(payer)
    if (!kept || count === undefined) return
    if (count > 1) return void kept.payers.set(payer, count - 1)
    kept.payers.delete(payer)
    if (kept.payers.size === 0) kept.left = payer
    else {
      add(this.#payers, payer, -kept.bytes)
      this.onLess?.()
    }
  }

  delete(list: List): void {
    this.set(list, 0)
    this.#lists.delete(list)
  }
}

/** Adds bytes to those of a caller, or of another thing that has some. */
export function add<Owner>(bytesOf: Map<Owner, number>, owner: Owner, more: number): void {
  const bytes = (bytesOf.get(owner) ?? 0) + more
  if (bytes > 0) bytesOf.set(owner, bytes)
  else bytesOf.delete(owner)
}
