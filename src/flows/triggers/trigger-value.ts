// `$trigger` of flows that run when items are read or written, and what becomes of the payload that they return.
import { isDeepStrictEqual } from 'node:util'
import type { ItemChange } from '../../engine/events.ts'
import { fault, quote } from '../../errors/errors.ts'
import { eachChild, maskSecrets, targetIn } from '../../plan/write/mask-secrets.ts'
import { type Collection, type Field, isToMany } from '../../schema/model.ts'
import { mask } from '../../types/hash.ts'
import { isRecord } from '../../values/guards.ts'
import { copyPayload, isNoJson, type JsonCopy, maxChain } from '../chain/chain.ts'
import { badValue } from '../reject.ts'

type Payload = Readonly<Record<string, unknown>>

/** Returns what an event writes, or the query of a read; undefined if there is neither. */
export const payloadOf = (event: ItemChange['event'], written: object | undefined): Payload | undefined =>
  event === 'items.read' || written ? { ...written } : undefined

/** Returns `$trigger` of an event. `limits`: what the flow may see; undefined for all. */
export function triggerValue(
  happening: ItemChange,
  payload: Payload | undefined,
  collection: Collection | undefined,
  limits: AuthorLimits | undefined,
): JsonCopy {
  const copy = copyPayload(shownEvent(happening, payload, collection, limits), maxChain)
  if (isNoJson(copy)) throw badValue(`What is written ${copy.says}, so no flow can look at it.`, copy.path)
  return copy
}

function shownEvent(
  { event, collection: name, keys: all }: ItemChange,
  payload: Payload | undefined,
  collection: Collection | undefined,
  limits: AuthorLimits | undefined,
) {
  const isOfItems = collection !== undefined && event !== 'items.read'
  // Masked first: what is hidden then may say of which collection a related item is.
  const masked = payload && isOfItems ? maskSecrets(collection, payload) : payload
  const shown = masked && limits ? limits.shown(masked) : masked
  const keys = limits?.isKeySeen === false ? [] : all
  return {
    event: `${name}.${event}`,
    collection: name,
    payload: event === 'items.delete' ? keys : (shown ?? {}),
    key: keys.length === 1 ? keys[0] : null,
    keys,
  }
}

/** Bytes of a payload that a run keeps. */
const mostKept = 256 * 1024

/** Returns `$trigger` of an event as a run keeps it. Nothing in it fails what has caused the run: fields that are too large, or are no JSON, are
 *  left out, and named. */
export function keptTrigger(
  happening: ItemChange,
  collection: Collection | undefined,
  limits: AuthorLimits | undefined,
): unknown {
  const { payload, ...event } = shownEvent(happening, happening.payload, collection, limits)
  const whole = copyPayload(payload, mostKept)
  if (!isNoJson(whole)) return { ...event, payload: whole.value }
  let rest = mostKept
  const kept: [string, unknown][] = []
  const left: string[] = []
  for (const [name, value] of Object.entries(payload)) {
    const copy = copyPayload({ [name]: value }, rest)
    if (isNoJson(copy)) left.push(name)
    else {
      rest -= copy.bytes
      kept.push([name, Reflect.get(Object(copy.value), name)])
    }
  }
  return { ...event, payload: Object.fromEntries(kept), left }
}

/** The payload as it was sent, and as its flow has seen it. */
export interface Sent {
  readonly payload: Payload
  readonly shown: unknown
  readonly collection: Collection | undefined
}

/** Returns the payload that replaces one. Values that the flow has left as it saw them are as they were sent: masked ones, and moments. */
export function replacedPayload(returned: Payload, { payload, shown, collection }: Sent): Payload {
  return Object.fromEntries(
    Object.entries(returned).flatMap(([name, value]) => {
      const field = collection?.fields.get(name)
      if (Object.hasOwn(payload, name) && isDeepStrictEqual(value, Reflect.get(Object(shown), name)))
        return [[name, payload[name]]]
      if (value === mask && field?.kind === 'scalar' && field.isConcealed)
        return Object.hasOwn(payload, name) ? [[name, payload[name]]] : []
      return [[name, value]]
    }),
  )
}

/** The part of an event that the author of a flow sees and may write. */
export interface AuthorLimits {
  /** Fields that are seen; undefined for all. */
  readonly seen: ReadonlySet<string> | undefined
  /** Fields that may be written; undefined for all. */
  readonly writable: ReadonlySet<string> | undefined
  readonly isKeySeen: boolean
  readonly shown: (payload: Payload) => Payload
}

/** Returns the payload that the flow of an author replaces: what the author does not see stays, and what they could not write is refused, as are
 *  definitions of flows, whose author would be the writer of the payload. */
export function authorsPayload(
  replaced: Payload,
  sent: Sent,
  { seen, writable }: AuthorLimits,
  holdsFlows: (collection: string) => boolean,
): Payload {
  const { payload, collection } = sent
  const hidden = Object.entries(payload).filter(([name]) => seen && !seen.has(name))
  const result: Payload = { ...replaced, ...Object.fromEntries(hidden) }
  for (const name of new Set([...Object.keys(payload), ...Object.keys(result)])) {
    if (
      Object.hasOwn(payload, name) === Object.hasOwn(result, name) &&
      isDeepStrictEqual(payload[name], result[name])
    )
      continue
    const field = collection?.fields.get(name)
    const isNested =
      !field || isToMany(field) || field.kind !== 'scalar' || isCompound(result[name], field.value.family)
    const isDefinition =
      collection && (holdsFlows(collection.name) || writesFlows(field, result[name], result, holdsFlows))
    if (isDefinition || (writable && (!writable.has(name) || isNested)))
      throw fault('FORBIDDEN', `The author of the flow may not write ${quote(name)} of any item.`)
  }
  return result
}

/** True if a value of a field holds items of collections whose rows are flows, at any depth. A link alone changes nothing that a flow does. */
function writesFlows(
  field: Field | undefined,
  value: unknown,
  item: Payload,
  holdsFlows: (collection: string) => boolean,
): boolean {
  if (!field || field.kind === 'scalar') return false
  const named = targetIn(field, item)
  // A stored item may say which of them it is.
  const targets = named || field.kind !== 'any' ? [named] : [...field.targets.values()]
  let isFound = false
  const look = (child: Payload): Payload => {
    isFound ||= targets.some(
      (target) =>
        target &&
        (holdsFlows(target.name) ||
          Object.entries(child).some(([name, one]) =>
            writesFlows(target.fields.get(name), one, child, holdsFlows),
          )),
    )
    return child
  }
  eachChild(isToMany(field) ? value : [value], look)
  return isFound
}

const isCompound = (value: unknown, family: string): boolean =>
  (isRecord(value) || Array.isArray(value)) && family !== 'json' && family !== 'csv'
