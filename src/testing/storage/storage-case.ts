import assert from 'node:assert/strict'
import { type ErrorCode, isEngineError } from '../../errors/errors.ts'
import type { ByteRange, Storage } from '../../storage/storage.ts'

export interface StorageCase {
  readonly title: string
  run(storage: Storage): Promise<void>
}

/** Asserts that a call fails with an EngineError of this code. */
export async function refuses(code: ErrorCode, call: () => Promise<unknown>, about = ''): Promise<void> {
  const error = await failureOf(call)
  assert.ok(isEngineError(error), `${about} fails with an EngineError, not with ${error}`)
  assert.equal(error.code, code, about)
}

/** Returns the error with which a call fails, or undefined. */
export async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}

export async function assertHolds(storage: Storage, key: string, bytes: Uint8Array): Promise<void> {
  assertSame(await readWhole(storage, key), bytes, key)
  assert.equal((await storage.stat(key))?.size, bytes.length, `the size of ${key}`)
}

export async function assertAbsent(storage: Storage, key: string): Promise<void> {
  assert.equal(await storage.stat(key), undefined, key)
  await refuses('NOT_FOUND', () => storage.read(key), key)
  assert.ok(!(await keysOf(storage, '')).includes(key), `${key} is listed`)
}

/** Compares bytes without printing megabytes. */
export function assertSame(input: Uint8Array, wanted: Uint8Array, about: string): void {
  assert.equal(input.length, wanted.length, `the length of ${about}`)
  assert.ok(Buffer.compare(input, wanted) === 0, `${about} has other bytes`)
}

export async function readWhole(storage: Storage, key: string, range?: ByteRange): Promise<Uint8Array> {
  return whole(await storage.read(key, range))
}

export async function whole(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    assert.ok(value instanceof Uint8Array, 'a chunk is a Uint8Array')
    chunks.push(value)
  }
}

export async function keysOf(storage: Storage, prefix: string): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys
}
