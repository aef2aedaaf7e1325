// Checks a payload by all that is known without a database: names, values, what is missing, validations, nested items.

import type { Path } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import {
  type Collection,
  isPartOf,
  keyFieldsOf,
  type ManyToOne,
  type StoredField,
} from '../../schema/model.ts'
import { readKey } from '../key.ts'
import type { Child, ItemData } from './changes.ts'
import { type WriteMoment, withDefaults } from './defaults.ts'
import { valueIn } from './document-change.ts'
import { isIncrement, misplacedIncrement } from './increment.ts'
import {
  endlessMistake,
  type Nest,
  noItem,
  otherKeySaid,
  saidPart,
  withoutKey,
  withoutOwner,
} from './nested-item.ts'
import { type Payload, readPayload } from './payload.ts'
import { readStored } from './stored-value.ts'
import { type ValidationContext, validatorOf } from './validate-item.ts'

/** An item as it is to be written. What only stored rows decide is taken to be as the payload needs it. */
export interface CheckedItem {
  readonly collection: Collection
  /** `named`: the update of an item whose key is known from elsewhere. `either`: an item that exists is updated, any other is created. */
  readonly action: 'create' | 'named' | 'update' | 'either'
  readonly payload: ItemData
  readonly path: Path
  /** The foreign key to the item around it, which the nesting decides. */
  readonly owner?: ManyToOne
  /** True if that item exists, or may. */
  readonly isOwnerKnown?: boolean
  readonly within?: Nest | undefined
}

interface PayloadCheck {
  readonly context: ValidationContext
  readonly moment: WriteMoment
  readonly problems: Problems
}

export function checkPayload(item: CheckedItem, check: PayloadCheck): void {
  const { problems } = check
  const { collection, path, owner, within } = item
  const endless = endlessMistake(item.payload, within, path)
  if (endless) {
    problems.report(endless)
    return
  }
  const action = actionOf(item, problems)
  const isKeyed = action === 'update'
  const payload = withoutOwner(item.payload, owner)
  const found = readPayload(payload, { collection, path, problems, isKeyed, mayIncrement: isKeyed })
  checkRow(found, { ...item, action }, check)
  const nest = { payload: item.payload, depth: (within?.depth ?? 0) + 1, outer: within }
  for (const target of found.targets) checkPayload({ ...target, action: 'either', within: nest }, check)
  const isOwnerKnown = isKeyed || saysKey(item)
  for (const { relation, changes } of found.children)
    for (const child of changes.children) {
      const within = { owner: relation.foreign, isOwnerKnown, within: nest }
      checkChild(child, { collection: relation.target, ...within }, check)
    }
}

function checkChild(
  child: Child,
  place: Omit<CheckedItem, 'action' | 'payload' | 'path'>,
  check: PayloadCheck,
): void {
  if (child.kind === 'item') checkPayload({ ...place, ...child }, check)
}

function checkRow(
  { values, increments, targets, refused }: Payload,
  item: CheckedItem & { readonly action: 'create' | 'update' },
  { context, moment, problems }: PayloadCheck,
): void {
  const { collection, action, path, owner, isOwnerKnown } = item
  const row = { collection, action, path, values, targets, owner, refused, isLink: false, isAttached: false }
  withDefaults(row, moment, problems)
  // What comes out of an addition is known where the row is, and so is the key of an item around that exists.
  const unknown = new Set([...increments.keys()].map(({ name }) => name))
  if (owner && isOwnerKnown) unknown.add(owner.name)
  const known = Object.entries(item.payload).flatMap(([name, value]): [string, unknown][] => {
    const field = collection.fields.get(name)
    return unknown.has(name) ? [] : [[name, field ? valueIn(field, value) : value]]
  })
  for (const failure of validatorOf(collection, context)(Object.fromEntries(known), path))
    problems.report(failure)
}

/** Returns whether an item is created or updated, and reports a key that cannot be one. */
function actionOf(item: CheckedItem, problems: Problems): 'create' | 'update' {
  const { action, collection, payload, path } = item
  if (action === 'create') return action
  const fields = keyFieldsOf(collection)
  if (action === 'named') {
    for (const field of fields) if (isNoKey(field, payload)) problems.report(otherKeySaid(field.name, path))
    return 'update'
  }
  const misplaced = fields.find((field) => isIncrement(field, payload[field.name]))
  if (misplaced) {
    if (action === 'update')
      problems.report(misplacedIncrement(misplaced, [...path, misplaced.name], payload[misplaced.name]))
    return action === 'update' ? action : 'create'
  }
  if (!saysKey(item)) {
    if (action === 'update') problems.reportMade(() => withoutKey(fields, path), path)
    return action === 'update' ? action : 'create'
  }
  const said = fields.map((field) => partOf(field, item)).filter((part) => part !== ofOwner)
  if (said.length < fields.length) return 'update'
  const input = said.length === 1 ? said[0] : said
  if (readKey(collection, input) !== undefined) return 'update'
  if (action === 'update') problems.reportMade(() => noItem(input, fields, path), path)
  return action === 'update' ? action : 'create'
}

/** True if a payload gives a field of the key a value that none can have. */
function isNoKey(field: StoredField, payload: ItemData): boolean {
  const { [field.name]: said } = payload
  if (said === undefined || isIncrement(field, said)) return false
  const input = saidPart(field, payload, false)
  return input === undefined || input === null || readStored(field, input).kind === 'mistake'
}

const ofOwner = Symbol('part of the key of the item around')

/** True if nothing is missing in the key of an item. */
const saysKey = (item: CheckedItem): boolean => {
  const parts = keyFieldsOf(item.collection).map((field) => partOf(field, item))
  return parts.length > 0 && parts.every((part) => part !== undefined && part !== null)
}

/** Returns a part of an item's key as its payload says it. */
function partOf(field: StoredField, { payload, owner, isOwnerKnown, action }: CheckedItem): unknown {
  if (owner && isPartOf(field, owner)) return isOwnerKnown ? ofOwner : undefined
  return saidPart(field, payload, action === 'update')
}
