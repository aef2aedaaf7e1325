import { createHash } from 'node:crypto'

/** Returns a hash of a value, as JSON writes it. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')
