// Words that hold other filters: they combine them, or say how many related items meet them.

/** Operators whose operand is a condition on related items. */
export const quantifiers = {
  /** At least one related item matches the filter. A filter without a quantifier means this. */
  _some: { doc: 'At least one related item matches the filter. A filter without a quantifier means this.' },
  /** No related item matches the filter; true if there are none. */
  _none: { doc: 'No related item matches the filter; true if there are none.' },
} as const
export type QuantifierName = keyof typeof quantifiers

/** Words that combine filters. */
export const junctions = {
  /** Every filter of the list matches. An empty list is no condition. */
  _and: { doc: 'Every filter of the list matches. An empty list is no condition.' },
  /** At least one filter of the list matches. An empty list is refused. */
  _or: { doc: 'At least one filter of the list matches. An empty list is refused.' },
} as const
export type JunctionName = keyof typeof junctions

export const isQuantifier = (word: string): word is QuantifierName => Object.hasOwn(quantifiers, word)
export const isJunction = (word: string): word is JunctionName => Object.hasOwn(junctions, word)
