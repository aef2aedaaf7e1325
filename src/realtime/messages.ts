// Messages to subscribers, the ids of items in them, and the tokens with which a subscription continues where another ended.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { News, ReportedKey } from './list/news.ts'

/** A message of a feed. Its items are frozen, because all subscribers of a list share them. */
export type FeedMessage<Item = unknown> = SnapshotMessage<Item> | ChangesMessage<Item> | ResetMessage

/** The whole list. It replaces everything that was sent before. */
export interface SnapshotMessage<Item = unknown> {
  readonly kind: 'snapshot'
  /** The items as `listItems` returns them. */
  readonly items: readonly Item[]
  /** The id of each item, in the same order. Absent for groups and aggregates, which have none. */
  readonly ids?: readonly string[]
  /** Continues from here, if it is given to `watchItems` soon enough. */
  readonly token: string
}

/** The changes since the message before. */
export interface ChangesMessage<Item = unknown> {
  readonly kind: 'changes'
  /** Items that are new, or no longer what they were. */
  readonly set: readonly { readonly id: string; readonly item: Item }[]
  /** Ids of items that are no longer in the list. */
  readonly removed: readonly string[]
  /** The ids of all items in their order, where the order has changed. A list of members has none. */
  readonly order?: readonly string[]
  readonly token: string
}

/** Ids of the items of a message that were created, and of those that were deleted: a socket sends them, and the message does not. */
interface Causes {
  readonly created: ReadonlySet<string>
  readonly deleted: ReadonlySet<string>
}

const causes = new WeakMap<ChangesMessage, Causes>()

/** Returns how the items of a message have come and gone, where that is known. */
export const causesOf = (message: ChangesMessage): Causes => causes.get(message) ?? unknownCauses

const unknownCauses: Causes = { created: new Set(), deleted: new Set() }

export function newsMessage(
  { groups, set, removed, order }: News,
  idOf: (one: ReportedKey) => string,
  token: string,
): SnapshotMessage | ChangesMessage {
  if (groups) return { kind: 'snapshot', items: groups, token }
  const message: ChangesMessage = {
    kind: 'changes',
    set: set.map((one) => ({ id: idOf(one), item: one.item })),
    removed: removed.map(idOf),
    ...(order && { order: order.map(idOf) }),
    token,
  }
  const created = set.filter((one) => one.isCreated).map(idOf)
  const deleted = removed.filter((one) => one.isDeleted).map(idOf)
  if (created.length > 0 || deleted.length > 0)
    causes.set(message, { created: new Set(created), deleted: new Set(deleted) })
  return message
}

/** Nothing that was sent before is certain any more. A snapshot follows. */
export interface ResetMessage {
  readonly kind: 'reset'
  readonly reason: ResetReason
}

/** The reasons of a reset. */
const resetReasons = {
  access: 'The caller may see something else now.',
  behind: 'The subscriber has missed more than is kept.',
  host: 'The host has asked for it.',
  source: 'The source may have missed changes.',
  token: 'The token is not known here.',
} as const satisfies Readonly<Record<string, string>>

/** The reason of a reset. */
export type ResetReason = keyof typeof resetReasons

interface ReadToken {
  readonly group: string
  readonly version: number
  /** The text under which the ids of the subscription were made. */
  readonly seed: string
}

interface TokenSigner {
  readonly secret: string
  /** The text of the caller; undefined for one whose tokens are valid for no caller. */
  readonly caller: string | undefined
}

/** Returns the token of a state. Its last part is of the subscription alone: what was signed names a caller and a version, so that no caller
 *  learns what others held, or held before the caller could see it. */
export const writeToken = (token: ReadToken, signer: TokenSigner): string =>
  `${token.group}.${token.version}.${token.seed}${signatureOf(token, signer)}`

/** Reads a token; undefined if it is malformed, or was signed for another caller. */
export function readToken(text: string, signer: TokenSigner): ReadToken | undefined {
  const [, group, version, seed, signature] =
    /^([\w-]{12})\.(0|[1-9]\d{0,14})\.([\w-]{12})([\w-]{22})$/.exec(text) ?? []
  if (group === undefined || version === undefined || seed === undefined || signature === undefined)
    return undefined
  const token = { group, version: Number(version), seed }
  const isSigned = timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(token, signer)))
  return isSigned && signer.caller !== undefined ? token : undefined
}

const signatureOf = ({ group, version, seed }: ReadToken, { secret, caller = '' }: TokenSigner): string =>
  signed(secret, `token ${group}.${version}.${seed} ${caller}`)

/** Returns the signature of a text: 132 bits. */
export const signed = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22)
