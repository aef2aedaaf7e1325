// The text of items: subscribers of one list share them, and their text.

import { memoryOf } from '../list/memory-of.ts'
import type { ChangesMessage } from '../messages.ts'

/** Texts of items and of lists that are frozen, of two generations: the older ones go when the younger ones are as many as may be. */
let young = new WeakMap<object, string>()
let old = young
/** Signs of the younger texts. */
let signs = 0
/** Characters of one generation. All subscribers to a change receive it soon after each other. */
const maxSigns = 8_000_000
/** Signs of a text that is not kept: it would be most of what a list takes. */
const longest = 1_000_000

function frozenText(value: object): string {
  const found = young.get(value)
  if (found !== undefined) return found
  const text = old.get(value) ?? JSON.stringify(value)
  if (text.length > longest) return text
  if (signs >= maxSigns) {
    old = young
    young = new WeakMap()
    signs = 0
  }
  signs += text.length
  young.set(value, text)
  return text
}

export const itemText = (item: unknown): string =>
  typeof item === 'object' && item !== null && Object.isFrozen(item) ? frozenText(item) : JSON.stringify(item)

/** Returns the JSON text of a list of items. That of a snapshot is one text for all who are shown it. */
export const itemsText = (items: readonly unknown[]): string =>
  Object.isFrozen(items) && items.length > 0 ? frozenText(items) : `[${items.map(itemText).join(',')}]`

/** Returns the JSON text of a list of items in one part, or in many if it is too long to be kept. */
export function* itemTexts(items: readonly unknown[]): Generator<string> {
  if (memoryOf(items, longest) < longest) return yield itemsText(items)
  for (const [at, item] of items.entries()) yield `${at === 0 ? '[' : ','}${JSON.stringify(item)}`
  yield ']'
}

/** Returns the JSON text of a change of a list: its items with their ids, what has gone, and the order if it is another. */
export function changesText({ set, removed, order }: Omit<ChangesMessage, 'kind' | 'token'>): string {
  const items = set.map(({ id, item }) => `{"id":${JSON.stringify(id)},"item":${itemText(item)}}`)
  const ordered = order ? `,"order":${JSON.stringify(order)}` : ''
  return `"set":[${items.join(',')}],"removed":${JSON.stringify(removed)}${ordered}`
}
