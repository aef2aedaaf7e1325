// The parts of Node that the core and HTTP use, met here alone, so that a page can bring its own: the playground of the site does. Filters take none of it.
export { AsyncLocalStorage } from 'node:async_hooks'
export { createHash, createHmac, randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto'
export { availableParallelism } from 'node:os'
export { inspect, promisify, types } from 'node:util'
