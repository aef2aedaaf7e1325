import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/** How many bytes are held outside of the heap, once there is no garbage: what nobody has collected yet would count as held, and what goes
 *  while something is measured would hide as much of it. */
export function heldBytes(): number {
  collect ??= collector()
  collect()
  // What was found is given back besides, at the latest when the next one begins.
  collect()
  return process.memoryUsage().arrayBuffers
}

/** It is shown in contexts that are made after somebody has asked for it, and in no other of the tests. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc')
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
