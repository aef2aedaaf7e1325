// What the core takes from Node, as far as a page has it: it takes the place of src/values/from-node.ts. What only files, passwords and change logs need is absent.

const absent = (name: string) => (): never => {
  throw new Error(`The playground has no ${name}.`)
}

export const createHash = absent('hashes')
export const scrypt = absent('passwords')
export const promisify = (call: unknown) => call
export const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
export const randomUUID = () => crypto.randomUUID()
export const availableParallelism = () => 1
export const inspect = String
export const types = {
  isMap: (value: unknown) => value instanceof Map,
  isPromise: (value: unknown) => value instanceof Promise,
}

/** Nothing is followed: the playground opens no transaction inside another. */
export class AsyncLocalStorage {
  run = (_store: unknown, call: () => unknown) => call()
  getStore = () => undefined
  disable = () => undefined
}

const fromText = (text: string, coding?: string) => {
  const bytes = coding?.startsWith('base64')
    ? Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
    : new TextEncoder().encode(text)
  return {
    toString: (shown?: string) =>
      shown === 'base64url'
        ? btoa(String.fromCharCode(...bytes)).replace(
            /[+/=]/g,
            (sign) => ({ '+': '-', '/': '_' })[sign] ?? '',
          )
        : new TextDecoder().decode(bytes),
  }
}

Object.assign(globalThis, {
  Buffer: { from: fromText, byteLength: (text: string) => new TextEncoder().encode(text).length },
  process: { emitWarning: console.warn },
  setImmediate: (call: () => void) => setTimeout(call),
})
