import { types } from 'node:util'

// `instanceof` is true of anything whose prototype was set so, and such an object throws as soon as it is asked for its value.
export const isDate = (value: unknown): value is Date => types.isDate(value)
export const isBytes = (value: unknown): value is Uint8Array => types.isUint8Array(value)
export const isBuffer = (value: unknown): value is ArrayBuffer => types.isAnyArrayBuffer(value)
