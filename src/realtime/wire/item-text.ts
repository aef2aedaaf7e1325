// The text of items: subscribers of one list share them, and their text.

import type { ChangesMessage } from '../messages.ts'

/** By items, which are frozen. */
const known = new WeakMap<object, string>()

/** Returns the JSON text of an item. */
export function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item)
  const found = known.get(item)
  if (found !== undefined) return found
  const text = JSON.stringify(item)
  known.set(item, text)
  return text
}

/** Returns the JSON text of a list of items. */
export const itemsText = (items: readonly unknown[]): string => `[${items.map(itemText).join(',')}]`

/** Returns the JSON text of a change of a list: its items with their ids, what has gone, and the order if it is another. */
export function changesText({ set, removed, order }: Omit<ChangesMessage, 'kind' | 'token'>): string {
  const items = set.map(({ id, item }) => `{"id":${JSON.stringify(id)},"item":${itemText(item)}}`)
  const ordered = order ? `,"order":${JSON.stringify(order)}` : ''
  return `"set":[${items.join(',')}],"removed":${JSON.stringify(removed)}${ordered}`
}
