// The data chain of a run: what its trigger brought, and what its operations have answered.

import { createHash } from 'node:crypto'
import type { Path } from '../../errors/errors.ts'
import { isBytes, isDate, isRecord } from '../../values/guards.ts'
import { below, type ChainPlace } from './place.ts'

export interface JsonCopy {
  readonly value: unknown
  readonly bytes: number
}

/** A reason why a value is not copied, and its place. */
export interface NoJson {
  readonly path: Path
  readonly says: string
}

interface Copying {
  readonly most: number
  readonly isLenient: boolean
  bytes: number
}

class Unfit extends Error {
  readonly path: Path

  constructor(path: Path, says: string) {
    super(says)
    this.path = path
  }
}

const deepest = 64

/** Copies a value of JSON once, so that an object of the host that changes does not change a flow, and refuses all else. */
export const copyJson = (value: unknown, most: number): JsonCopy | NoJson => copied(value, most, false)

/** Copies what a caller has sent: moments become texts, bytes base64, and what has no JSON is left out. */
export const copyPayload = (value: unknown, most: number): JsonCopy | NoJson => copied(value, most, true)

export const isNoJson = (copy: JsonCopy | NoJson): copy is NoJson => 'says' in copy

function copied(value: unknown, most: number, isLenient: boolean): JsonCopy | NoJson {
  const copying: Copying = { most, isLenient, bytes: 0 }
  try {
    return { value: copyAt(value, [], copying) ?? null, bytes: copying.bytes }
  } catch (error) {
    if (error instanceof Unfit) return { path: error.path, says: error.message }
    // A getter or a proxy of the host's.
    return { path: [], says: 'cannot be read' }
  }
}

function copyAt(value: unknown, path: Path, copying: Copying): unknown {
  if (value === null || value === undefined) return counted(value, 4, path, copying)
  switch (typeof value) {
    case 'boolean':
      return counted(value, value ? 4 : 5, path, copying)
    case 'number':
      if (!Number.isFinite(value)) return unfit(`is ${value}, which is no JSON`, path, copying)
      return counted(value, String(value).length, path, copying)
    case 'string':
      return counted(value, textBytes(value), path, copying)
    case 'object':
      return copyObject(value, path, copying)
    case 'bigint':
      if (copying.isLenient) return copyAt(String(value), path, copying)
      return unfit('is a bigint, which is no JSON', path, copying)
    default:
      return unfit(`is a ${typeof value}, which is no JSON`, path, copying)
  }
}

function copyObject(value: object, path: Path, copying: Copying): unknown {
  if (path.length > deepest) throw new Unfit(path.slice(0, 3), `nests deeper than ${deepest} levels`)
  if (isDate(value)) {
    if (Number.isNaN(Number(value))) return unfit('is no moment', path, copying)
    return copyAt(value.toISOString(), path, copying)
  }
  if (isBytes(value)) {
    const { buffer, byteOffset, byteLength } = value
    return copyAt(Buffer.from(buffer, byteOffset, byteLength).toString('base64'), path, copying)
  }
  if (Array.isArray(value)) {
    counted(value, 2 + Math.max(0, value.length - 1), path, copying)
    return Array.from(value, (one: unknown, at) => copyAt(one, [...path, at], copying) ?? null)
  }
  if (!isRecord(value)) return unfit('is an instance of a class, which is no JSON', path, copying)
  counted(value, 2, path, copying)
  const entries: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    const inner: unknown = Reflect.get(value, name)
    if (inner === undefined || (copying.isLenient && typeof inner === 'function')) continue
    counted(value, textBytes(name) + (entries.length > 0 ? 2 : 1), path, copying)
    entries.push([name, copyAt(inner, [...path, name], copying)])
  }
  return Object.fromEntries(entries)
}

function unfit(says: string, path: Path, { isLenient }: Copying): null {
  if (isLenient) return null
  throw new Unfit(path, says)
}

function counted<Value>(value: Value, bytes: number, path: Path, copying: Copying): Value {
  copying.bytes += bytes
  if (copying.bytes > copying.most)
    throw new Unfit(path.slice(0, 3), `has more than ${copying.most.toLocaleString('en')} bytes as JSON`)
  return value
}

/** Returns the value of a text that is JSON, and of others the text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')

const plain = /^[ !#-[\]-~]*$/

export const textBytes = (text: string): number =>
  plain.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))

/** Maximum bytes of what one operation answers, and of a whole chain, as JSON. */
export const mostResult = 1024 * 1024
export const maxChain = 4 * 1024 * 1024

/** The roots that are there before any operation was run. */
export const ownRoots = ['$trigger', '$last', '$accountability', '$env'] as const

export class Chain {
  readonly #roots = new Map<string, unknown>()
  readonly #sizes = new Map<string, number>()
  #bytes = 0
  #last: JsonCopy = { value: null, bytes: 4 }

  get bytes(): number {
    return this.#bytes
  }

  set(root: string, { value, bytes }: JsonCopy): void {
    this.#bytes += bytes - (this.#sizes.get(root) ?? 0)
    this.#sizes.set(root, bytes)
    this.#roots.set(root, value)
  }

  get last(): JsonCopy {
    return this.#last
  }

  setLast(copy: JsonCopy): void {
    this.#last = copy
    this.#roots.set('$last', copy.value)
  }

  /** Sets what is in it under another name already. */
  point(root: string, value: unknown): void {
    this.#roots.set(root, value)
  }

  /** Returns what is in it under a name; undefined if there is nothing. */
  get(root: string): unknown {
    return this.#roots.get(root)
  }

  delete(root: string): void {
    this.#bytes -= this.#sizes.get(root) ?? 0
    this.#sizes.delete(root)
    this.#roots.delete(root)
  }

  /** Returns what is at a place; undefined if there is nothing. */
  at({ root, steps }: ChainPlace): unknown {
    return below(this.#roots.get(root), steps)
  }

  /** Returns all of it, but the secrets. */
  get all(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#roots].filter(([root]) => root !== '$env'))
  }
}
