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

/** Node shows it to whoever has asked for it before the context was made. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
