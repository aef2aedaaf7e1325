// Collections whose rows are flows: definitions that users edit.
import { checkOptions, list, type OptionKind, optionNames, text } from '../../errors/check-options.ts'

import { isRecord } from '../../values/guards.ts'
import { badOption } from '../reject.ts'
import { checkHosts } from '../world/reach.ts'

/** Limits of the flows that are rows of a collection. */
export interface CollectionFlowsOptions {
  /** With whose rights they may work. `author` is the user who has written its definition. `caller` and `full` trust users who may write the collection
   *  like an admin: `caller` gives them the rights of every caller that triggers one. */
  readonly access: readonly string[]
  /** The field of the user who has written the definition of a row. Nothing but the flows writes it for callers; of a row in which it is empty nothing runs. */
  readonly author?: string
  /** Collections whose events may trigger them. */
  readonly collections: readonly string[]
  /** Types of operations that they may use. */
  readonly operations: readonly string[]
  /** Flows of the host that they may start, beside those of the same collection. By default none. */
  readonly flows?: readonly string[]
  /** Secrets that they may use, each with the hosts that alone get it: `{ STRIPE: ['api.stripe.com'] }`. By default none. */
  readonly secrets?: Readonly<Record<string, readonly string[]>>
  /** Hosts that values may name in the addresses of `request`. By default none: hosts are written out. */
  readonly hosts?: readonly string[]
  /** Bounds of one row: its bytes as JSON, by default 65,536, and the conditions in all of its filters, by default 1,000. */
  readonly limits?: FlowRowSize
}

/** Bounds of one row. */
export interface FlowRowSize {
  readonly bytes?: number
  readonly conditions?: number
}

/** A collection whose rows are flows. */
export interface CollectionFlows extends CollectionFlowsOptions {
  readonly collection: string
}

export const wholeNumber: OptionKind = {
  says: 'is a whole number above 0',
  holds: (input) => Number.isInteger(input) && Number(input) > 0,
}

const collectionFlowsOptions = optionNames<CollectionFlowsOptions>({
  access: list,
  author: text,
  collections: list,
  operations: list,
  flows: list,
  secrets: { says: 'is an object', holds: isRecord },
  hosts: list,
  limits: { says: 'is an object', holds: isRecord },
})

const rowLimits = optionNames<FlowRowSize>({ bytes: wholeNumber, conditions: wholeNumber })

/** Says that the rows of a collection are flows, and what these may do. The fields of a row are those of a definition: `name`, `trigger`, `access`,
 *  `first` and `operations`; `active` that is false switches it off.
 *  @example collectionFlows('flows', {
 *    access: ['author'],
 *    author: 'saved_by',
 *    collections: ['articles'],
 *    operations: ['condition', 'transform'],
 *  }).collection // → 'flows' */
export function collectionFlows(collection: string, options: CollectionFlowsOptions): CollectionFlows {
  checkOptions(options, collectionFlowsOptions)
  for (const name of ['access', 'collections', 'operations'] as const)
    if (options[name] === undefined)
      throw badOption(`"${name}" is missing: a list of what the rows may name.`, [name])
  if (options.access.includes('author') && options.author === undefined)
    throw badOption('The access "author" wants "author": the field of the user who has written a row.', [
      'author',
    ])
  checkOptions(options.limits ?? {}, rowLimits, ['limits'])
  checkHosts(options)
  return Object.freeze({ ...options, collection })
}

export const isCollectionFlows = (one: object): one is CollectionFlows =>
  'collection' in one && 'collections' in one
