import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/** Returns the bytes that are allocated outside of the heap, after a garbage collection: garbage would count as memory in use, and its
 *  collection during a measurement would hide as much of it. */
export function heldBytes(): number {
  collect ??= collector()
  collect()
  // A second collection also frees what the first one has found.
  collect()
  return process.memoryUsage().arrayBuffers
}

/** Returns the garbage collector. It is exposed only in contexts that are created from now on, and not to the tests. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc')
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
