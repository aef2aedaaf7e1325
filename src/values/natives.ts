import { types } from 'node:util'

// `instanceof` is true of anything with the right prototype, and such an object throws as soon as its value is read.
export const isDate = (value: unknown): value is Date => types.isDate(value)
export const isBytes = (value: unknown): value is Uint8Array => types.isUint8Array(value)
export const isBuffer = (value: unknown): value is ArrayBuffer => types.isAnyArrayBuffer(value)
