// The file system with something done before its calls: counted, they can fail, or be the last thing a process does.
import * as promises from 'node:fs/promises'
import type { FileStorageOptions } from '../../src/storage.ts'

export type FileSystem = NonNullable<FileStorageOptions['fs']>

/** Calls `before` with the name of each call, those of open files included. What it throws is what the call fails with. */
export function fsWith(
  before: (call: string) => void | Promise<void>,
  base: FileSystem = promises,
): FileSystem {
  const wrapped = <Target extends object>(target: Target, prefix: string): Target =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return async (...given: readonly unknown[]) => {
          const call = `${prefix}${String(name)}`
          // A close that fails has closed nevertheless.
          if (call === 'handle.close') await Reflect.apply(value, target, given)
          await before(call)
          if (call === 'handle.close') return undefined
          const answer: unknown = await Reflect.apply(value, target, given)
          return call === 'open' ? wrapped(Object(answer), 'handle.') : answer
        }
      },
    })
  return wrapped({ ...base }, '')
}

/** An error as Node throws it, with a path that no caller may see. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: no luck, open '/secret/place'`), { code, path: '/secret/place' })
}
