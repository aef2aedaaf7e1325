// The values that a request brings to a flow: its body, its query and the headers that the flow looks at, as `$trigger`.
import { inspect } from 'node:util'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, isEngineError, quote } from '../../errors/errors.ts'
import type { MountRequest } from '../../http/mounts/mount.ts'
import { isJsonType, parseJson, textOfUtf8 } from '../../http/request-body.ts'
import { isKeyLike, type Key, keyIdentity, readNamedKey, type ShownKey, shownKeyOf } from '../../plan/key.ts'
import { rootCollection } from '../../plan/resolve-name.ts'
import type { Collection } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { copyJson, hashOf, type JsonCopy, maxChain } from '../chain/chain.ts'
import type { CompiledManual } from '../check/compiled.ts'
import type { callerOf } from '../flow-rights.ts'
import { seenAmong } from '../operations/chosen-items.ts'
import { badValue, jsonOr } from '../reject.ts'
import type { StartRequest } from './starts.ts'

/** Returns the bytes of a body that is signed. Where a parser has read it, they are gone, and no signature can be right. */
export async function signedBytes(request: MountRequest): Promise<Uint8Array> {
  try {
    return await request.bytes()
  } catch (cause) {
    if (!isConsumed(cause)) throw cause
    throw fault(
      'INVALID_OPTIONS',
      'Something before has read the body of a signed webhook, and its signature is one of the bytes.',
      {
        hint: 'Let requests pass unread to the handler: mount it in front of express.json(), or take express.raw() there.',
        cause,
      },
    )
  }
}

/** An error of a body that a parser has read: a mistake of the host's. */
const isConsumed = (error: unknown): boolean => isEngineError(error) && error.code === 'INVALID_OPTIONS'

/** Returns the body of a request: JSON, a form as an object, or a text. Without one it is an empty object. */
export async function bodyOf(request: MountRequest): Promise<unknown> {
  const type = request.header('content-type')
  const isJson = isJsonType(type)
  let bytes: Uint8Array
  try {
    bytes = await request.bytes()
  } catch (error) {
    // The value that a parser of JSON has left is the body as well as its bytes are; what others leave may be anything.
    if (!isConsumed(error) || !isJson) throw error
    return request.body()
  }
  if (bytes.length === 0) return {}
  if (isJson) {
    const body = parseJson(bytes)
    return body === undefined ? {} : body
  }
  const [kind = ''] = (type ?? '').toLowerCase().split(';')
  if (kind.trim() === 'application/x-www-form-urlencoded')
    return valuesOf(new URLSearchParams(textOfUtf8(bytes)))
  if (kind.trim() === 'text/plain') return textOfUtf8(bytes)
  throw fault('UNSUPPORTED_MEDIA_TYPE', 'A flow takes JSON, a form or a text, and the type says which.', {
    hint: 'Send Content-Type: application/json, application/x-www-form-urlencoded or text/plain.',
  })
}

/** Returns the values of a form or a query by their names; of a name that comes again, the list of them. */
function valuesOf(input: URLSearchParams): Readonly<Record<string, unknown>> {
  const values = new Map<string, string[]>()
  for (const [name, value] of input) {
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}

/** Returns `$trigger` of a request. `headers`: those that the flow looks at. */
export function requestTrigger(
  { path, method, queryString, header }: MountRequest,
  body: unknown,
  headers: readonly string[],
): JsonCopy {
  const sent = headers.flatMap((name) => {
    const value = header(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const query = valuesOf(new URLSearchParams(queryString))
  const value = { path, method, query, body, headers: Object.fromEntries(sent) }
  return jsonOr(copyJson(value, maxChain), 'What was sent')
}

const longestKey = 255

/** Returns the key by which a request is known, if it has one. `signedId`: what its sender has signed, which counts before any header. */
export function requestKey({ header }: MountRequest, signedId: string | undefined): string | undefined {
  const key = signedId ?? header('idempotency-key')
  if (key === undefined || (key.length > 0 && key.length <= longestKey)) return key
  throw fault('INVALID_PAYLOAD', `The key of a request has 1 to ${longestKey} characters.`, {
    path: ['Idempotency-Key'],
  })
}

/** Returns the hashes by which a request is found again: of its flow, its caller and its key, and of what it says. */
export function requestHashes(
  key: string,
  flow: string,
  caller: RequestCaller,
  trigger: JsonCopy,
): StartRequest['request'] {
  const { user = null, role = null } = caller
  const { query, body } = Object(trigger.value)
  const others = user === null ? rightsText(caller) : undefined
  const named = [flow, user, role, key, ...(others === undefined ? [] : [others])]
  return { key: hashOf(named), body: hashOf([query, body]) }
}

/** The caller of a request, with what separates their requests from those of others. */
type RequestCaller = ReturnType<typeof callerOf>

/** Returns what distinguishes callers without a user; undefined without a caller: such requests are identified by their keys alone. */
function rightsText({
  roles = [],
  policies = [],
  variables = {},
  admin = false,
}: RequestCaller): string | undefined {
  const lists = [roles, policies].map((list) => list.map((one) => JSON.stringify(one)).toSorted())
  const isNobody = lists.every((list) => list.length === 0) && Object.keys(variables).length === 0 && !admin
  // Variables are any values of the host's, whose names come in any order.
  return isNobody ? undefined : inspect([...lists, variables, admin], everything)
}

const everything = {
  depth: Number.POSITIVE_INFINITY,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Number.POSITIVE_INFINITY,
  sorted: true,
  customInspect: false,
} as const

const mostChosen = 10_000

/** Reads the body of a manual start, and returns it with keys of their type. All of the items are seen by the caller: else none of them is. */
export async function chosenSelection(
  { collections, needsSelection }: CompiledManual,
  body: unknown,
  engine: Engine,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isRecord(body) || typeof body.collection !== 'string')
    throw badValue('The body is { "collection", "keys" }: the items for which the flow is started.')
  const { collection: name, keys = [] } = body
  const collection = rootCollection(internalsOf(engine).schema, name)
  if (collections && !collections.includes(name))
    throw badValue(`This flow is not started for items of ${quote(name)}.`, ['collection'])
  if (!Array.isArray(keys) || keys.length > mostChosen)
    throw badValue(`"keys" is a list of ${mostChosen.toLocaleString('en')} keys at most.`, ['keys'])
  if (keys.length === 0 && needsSelection)
    throw badValue('This flow is started for items, and "keys" names none.', ['keys'])
  const wrong = keys.findIndex((key) => !isKeyLike(collection, key))
  if (wrong >= 0) throw badValue(`${quote(keys[wrong])} is no key of an item.`, ['keys', wrong])
  return { ...body, keys: await seenKeys(keys, collection, engine) }
}

/** Returns the keys of items as results show them, each once, and refuses those that the caller does not see. */
async function seenKeys(
  keys: readonly unknown[],
  collection: Collection,
  engine: Engine,
): Promise<readonly ShownKey[]> {
  const wanted = new Map<string, { readonly key: Key; readonly at: number }>()
  for (const [at, input] of keys.entries()) {
    const key = readNamedKey(collection, input)
    if (key === undefined) throw notSeen(at)
    const name = keyIdentity(key)
    if (!wanted.has(name)) wanted.set(name, { key, at })
  }
  const shown = [...wanted.values()].map(({ key }) => shownKeyOf(collection, key))
  const seen = new Set<string>()
  for await (const found of seenAmong(engine, collection.name, shown))
    for (const one of found.seen) {
      const key = readNamedKey(collection, one)
      if (key !== undefined) seen.add(keyIdentity(key))
    }
  for (const [name, { at }] of wanted) if (!seen.has(name)) throw notSeen(at)
  return shown
}

const notSeen = (at: number) =>
  fault('NOT_FOUND', 'There is no such item, or you may not see it.', { path: ['keys', at] })
