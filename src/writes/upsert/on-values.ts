// The values by which each item of an upsert is found: given, or filled in by a rule.

import { type EngineError, fault, type Path, quote } from '../../errors/errors.ts'
import { isNameOfKey, type Key, keyIdentity, keyInItem, keyOfValue } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import { valueMistake } from '../../plan/write/value-mistake.ts'
import type { Collection } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { isRecord } from '../../values/guards.ts'
import { presetNamesOf, presetsFor } from '../authorize/rule-presets.ts'
import { rulesFor, withoutNames } from '../authorize/writable-fields.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../context/write-context.ts'
import type { GivenItem } from '../create-or-update.ts'
import type { OnFields } from './on-fields.ts'

/** An item of an upsert. */
export interface UpsertItem extends GivenItem {
  /** Its values of the fields by which it is found, as one. */
  readonly on: Key
  /** What an update writes: the payload without them. */
  readonly rest: ItemData
}

/** Reads the values by which items are found. Each item has all of them, and no two items have the same. */
export function onValues(
  { fields, names }: OnFields,
  collection: Collection,
  items: readonly GivenItem[],
  writing: WriteContext,
): readonly UpsertItem[] {
  const { problems } = writing
  const found: UpsertItem[] = []
  for (const { payload: whole, path } of items) {
    const payload = withPlainKeys(fields, whole)
    const values: Storable[] = []
    for (const field of fields) {
      const { [field.name]: input = presetOf(field.name, { payload, names }, collection, writing) } = payload
      const isPlain = input !== undefined && input !== null && !isRecord(input)
      const read = isPlain ? readStored(field, input) : undefined
      if (!read) problems.report(notGiven(field.name, [...path, field.name]))
      else if (read.kind === 'mistake')
        problems.report(valueMistake(field, [...path, field.name], read, input))
      else values.push(read.value)
    }
    const [first] = values
    if (first === undefined || values.length < fields.length) continue
    const on = keyOfValue(values.length === 1 ? first : values)
    found.push({ payload, path, on, rest: withoutNames(payload, names) })
  }
  const identities = new Set<string>()
  for (const { on, path } of found) {
    const identity = keyIdentity(on)
    if (identities.has(identity)) problems.report(twice(names, path))
    identities.add(identity)
  }
  problems.throwIfAny()
  return found
}

/** Returns a payload in which a link to another item, an object of its key alone, is that key: payloads of GraphQL have no other form. */
function withPlainKeys(fields: OnFields['fields'], payload: ItemData): ItemData {
  if (!fields.some(({ kind }) => kind === 'm2o')) return payload
  const links = fields.flatMap((field) => {
    const { [field.name]: input } = payload
    if (field.kind !== 'm2o' || !isRecord(input)) return []
    const isLink = Object.keys(input).every((name) => isNameOfKey(field.target, name))
    const key = isLink ? keyInItem(field.target, input) : undefined
    return key === undefined ? [] : [[field.name, key] as const]
  })
  return links.length === 0 ? payload : { ...payload, ...Object.fromEntries(links) }
}

/** Returns the value that a rule fills in; undefined unless all rules that may allow the item agree. */
function presetOf(
  name: string,
  { payload, names: on }: { readonly payload: ItemData; readonly names: ReadonlySet<string> },
  collection: Collection,
  writing: WriteContext,
): unknown {
  const permissions = permissionsOf(writing)
  if (!permissions) return undefined
  const named = Object.keys(payload).filter((one) => payload[one] !== undefined)
  const rest = named.filter((one) => !on.has(one))
  const [rules = []] = [
    rulesFor(permissions, collection, 'create').filter(({ fields }) => named.every((one) => fields.has(one))),
    rulesFor(permissions, collection, 'update').filter(({ fields }) => rest.every((one) => fields.has(one))),
  ].filter((some) => some.length > 0)
  const [first, ...others] = rules.map((rule) => {
    const isFilled = presetNamesOf(rule, payload).includes(name)
    return isFilled ? presetsFor(rule, [name], circumstancesOf(writing))?.[name] : undefined
  })
  return others.every((other) => other === first) ? first : undefined
}

const notGiven = (name: string, path: Path): EngineError =>
  fault(
    'INVALID_PAYLOAD',
    `An upsert finds its item by ${quote(name)}, which takes a plain value and not null.`,
    {
      path,
    },
  )

/** The error for a second item with the values of another. */
export const twice = (names: ReadonlySet<string>, path: Path): EngineError =>
  fault('INVALID_PAYLOAD', `Another item of the list has the same ${[...names].map(quote).join(' and ')}.`, {
    path,
  })
