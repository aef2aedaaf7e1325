// Items inside of other items: what they may say of themselves.

import { type EngineError, fault, type Path, quote } from '../../errors/errors.ts'
import { type ManyToOne, partsOf, type StoredField } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { heldInItem } from '../key.ts'
import type { ItemData } from './changes.ts'

export interface Nest {
  readonly payload: ItemData
  readonly depth: number
  readonly outer: Nest | undefined
}

/** Maximum depth: more than any sensible payload, and less than overflows the stack. */
const maxLevels = 100

/** Returns the error for a payload that contains itself, which would be gathered for ever. */
export function endlessMistake(
  payload: ItemData,
  within: Nest | undefined,
  path: Path,
): EngineError | undefined {
  for (let outer = within; outer; outer = outer.outer)
    if (outer.payload === payload)
      return fault('INVALID_PAYLOAD', 'An item cannot be nested in itself.', { path })
  if ((within?.depth ?? 0) < maxLevels) return undefined
  return fault('INVALID_PAYLOAD', `Items are nested deeper than ${maxLevels} levels.`, { path })
}

/** Returns a part of an item's key as its payload says it. A key that is a relation may be written together with its target, whose key need
 *  not be known yet, unless the item exists. */
export function saidPart(field: StoredField, payload: ItemData, isThere: boolean): unknown {
  const { [field.name]: said } = payload
  if (field.kind !== 'm2o' || !isRecord(said)) return said
  const key = heldInItem(field, said)
  return key === undefined && isThere ? said : key
}

/** Removes the foreign key from the payload of a nested child: the nesting decides. */
export function withoutOwner(payload: ItemData, owner: ManyToOne | undefined): ItemData {
  if (!owner) return payload
  const isSaid = ({ name }: { readonly name: string }) => payload[name] !== undefined
  if (!isSaid(owner) && !partsOf(owner).some(isSaid)) return payload
  const said = new Set([owner, ...partsOf(owner)].filter(isSaid).map(({ name }) => name))
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !said.has(name)))
}

export const withoutKey = (fields: readonly StoredField[], path: Path): EngineError =>
  fault(
    'INVALID_PAYLOAD',
    `Each item to update needs its key, ${fields.map(({ name }) => `"${name}"`).join(', ')}.`,
    { path },
  )

export const noItem = (input: unknown, [field, ...others]: readonly StoredField[], path: Path): EngineError =>
  fault('NOT_FOUND', `No item has the key ${quote(input)}.`, {
    path: field && others.length === 0 ? [...path, field.name] : path,
  })

/** The error for a payload that gives an item another key than it has. */
export const otherKeySaid = (name: string, path: Path): EngineError =>
  fault('INVALID_PAYLOAD', `The key of an item cannot be changed, and "${name}" says another.`, {
    path: [...path, name],
  })
