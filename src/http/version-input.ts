// Input of requests for versions: their items, ids and names. The functions of the library check the rest.
import { fault, type Path, quote } from '../errors/errors.ts'
import type { createVersion } from '../items/versions/create-version.ts'
import type { ShownKey } from '../plan/key.ts'
import { isRecord } from '../values/guards.ts'
import type { RequestInput } from './request-input.ts'

interface VersionToCreate {
  readonly collection: string
  readonly item: ShownKey
  readonly version: Parameters<typeof createVersion>[3]
}

export function readNewVersion(payload: RequestInput): VersionToCreate {
  if (!isRecord(payload)) throw fault('INVALID_PAYLOAD', 'A version is a JSON object.')
  const { collection, item, ...version } = payload
  return {
    collection: textIn(collection, 'collection'),
    item: keyIn(item, 'item'),
    // `createVersion` checks it, and reports its mistakes.
    version: version as unknown as VersionToCreate['version'],
  }
}

export interface VersionToUpdate {
  readonly id: string
  readonly names: RequestInput
}

/** Reads versions to rename: each by its own id, or all with some ids alike. */
export function readVersionUpdates(
  input: RequestInput | readonly RequestInput[],
): readonly VersionToUpdate[] {
  if (!isRecord(input))
    return input.map((one, at) => {
      if (!isRecord(one)) throw fault('INVALID_PAYLOAD', 'A version is a JSON object.', { path: [at] })
      const { id, ...names } = one
      return { id: idIn(id, [at, 'id']), names }
    })
  const { keys, data, ...others } = input
  const [other] = Object.keys(others)
  if (other !== undefined || !Array.isArray(keys) || !isRecord(data))
    throw fault('INVALID_PAYLOAD', 'To change several versions, send a list of them, or { keys, data }.', {
      ...(other !== undefined && { path: [other] }),
    })
  return keys.map((id: unknown, at) => ({ id: idIn(id, ['keys', at]), names: data }))
}

export function readVersionIds(ids: unknown): readonly string[] {
  if (!Array.isArray(ids)) throw fault('INVALID_PAYLOAD', 'To delete versions, send a list of their ids.')
  return ids.map((id: unknown, at) => idIn(id, [at]))
}

function idIn(input: unknown, path: Path): string {
  if (typeof input === 'string') return input
  throw fault('INVALID_PAYLOAD', `The id of a version is a text, not ${quote(input)}.`, { path })
}

function textIn(input: unknown, name: string): string {
  if (typeof input === 'string') return input
  throw fault('INVALID_PAYLOAD', `"${name}" takes text.`, { path: [name] })
}

function keyIn(input: unknown, name: string): ShownKey {
  if (typeof input === 'string' || typeof input === 'number' || isListOfParts(input)) return input
  throw fault('INVALID_PAYLOAD', `"${name}" takes the key of an item.`, { path: [name] })
}

const isListOfParts = (input: unknown): input is readonly (string | number)[] =>
  Array.isArray(input) && input.every((part) => typeof part === 'string' || typeof part === 'number')
