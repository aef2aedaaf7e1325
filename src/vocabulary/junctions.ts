// Words that hold other filters: they combine them, or say how many related items meet them.

/** Operators whose operand is a condition on related items. */
export const quantifiers = {
  /** At least one related item matches the filter. A filter without a quantifier means this. */
  _some: {},
  /** No related item matches the filter; true if there are none. */
  _none: {},
} as const
export type QuantifierName = keyof typeof quantifiers

/** Words that combine filters. */
export const junctions = {
  /** Every filter of the list matches. An empty list is no condition. */
  _and: {},
  /** At least one filter of the list matches. An empty list is refused. */
  _or: {},
} as const
export type JunctionName = keyof typeof junctions

export const isQuantifier = (word: string): word is QuantifierName => Object.hasOwn(quantifiers, word)
export const isJunction = (word: string): word is JunctionName => Object.hasOwn(junctions, word)
