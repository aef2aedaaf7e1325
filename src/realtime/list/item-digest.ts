// Digests of items, which stand in the place of their texts.

import { createHmac, randomBytes } from 'node:crypto'
import { once } from '../../values/memo.ts'

/** The secret of the process: without one, a writer could make two items with one digest, and the change from one to the other would never be reported. Made on first use:
 *  runtimes such as Workers have no random bytes while a module is loaded. */
const secret = once(() => randomBytes(32))

/** Returns 128 bits that are the same for items that look the same. */
export const digestOf = (item: unknown): string =>
  createHmac('sha256', secret()).update(JSON.stringify(item)).digest().toString('latin1', 0, 16)
