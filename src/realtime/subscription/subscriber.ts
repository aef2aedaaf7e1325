// A subscriber: the names in its messages, and the items that it received under other rights.

import { randomBytes } from 'node:crypto'
import { showsKey } from '../../items/watch/watched-list.ts'
import { keyAsText } from '../../plan/key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { type Reader, Unsent, type UnsentBytes } from '../bytes/unsent-bytes.ts'
import type { WatchedGroup } from '../group/group.ts'
import { bytesOfHeld, type HeldItems, type ReportedKey } from '../list/news.ts'
import { readToken, signed, writeToken } from '../messages.ts'

/** Names in the messages of a subscription: the ids of items, and the tokens of states, which are valid for no other subscriber. */
export class SubscriberNames {
  readonly #secret: string
  #seed = randomBytes(9).toString('base64url')
  /** The text of the caller for whom tokens are signed. */
  caller: string | undefined

  constructor(secret: string) {
    this.#secret = secret
  }

  token(group: string, version: number): string {
    return writeToken({ group, version, seed: this.#seed }, { secret: this.#secret, caller: this.caller })
  }

  /** Continues with the names of the subscription to which a token belongs. Returns its version if that is one of a group which `knows` it. */
  resume(text: string, group: string, knows: (version: number) => boolean): number | undefined {
    const token = readToken(text, { secret: this.#secret, caller: this.caller })
    if (token?.group !== group || !knows(token.version)) return undefined
    this.#seed = token.seed
    return token.version
  }

  /** Returns the id of an item of a list: its key, as in an address. That of a hidden key, or of a row whose key cannot be read, says nothing of
   *  it, and is the same each time within a subscription. */
  id({ identity, key }: ReportedKey, list: ListPlan): string {
    if (key !== undefined && showsKey(list)) return keyAsText(key) ?? ''
    return signed(this.#secret, `${key === undefined ? 'row' : 'id'} ${this.#seed} ${identity}`)
  }
}

/** Items that a subscriber received under other rights, until it received some under the current ones. */
export class HeldList {
  readonly #unsent: Unsent
  #items: HeldItems | undefined

  constructor(unsent: UnsentBytes, caller: Reader) {
    // It is not on its way to the caller's connection.
    this.#unsent = new Unsent(unsent, {
      get payer() {
        return caller.payer
      },
    })
  }

  get items(): HeldItems | undefined {
    return this.#items
  }

  /** Keeps what was sent of a list, so that the next one can be sent as a difference. False if that cannot be, or there is no room for it. */
  keep(before: WatchedGroup | undefined, version: number | undefined, next: WatchedGroup): boolean {
    const held = version === undefined ? this.#items : before?.state.membersAt(version)
    this.forget()
    // Ids of another kind would name nothing that was sent.
    const isAlike = before && showsKey(before.list) === showsKey(next.list)
    if (!held || !isAlike || !this.#unsent.hasRoom(bytesOfHeld(held))) return false
    this.#items = held
    this.#unsent.set(bytesOfHeld(held))
    return true
  }

  forget(): void {
    this.#items = undefined
    this.#unsent.set(0)
  }
}
