import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export const heldBytes = (): number => process.memoryUsage().arrayBuffers

/** What is held once nothing of earlier work is left: garbage that goes while something else is measured would hide as
 *  much of it. Twice, for what the first time finds is given back besides. */
export function heldBytesWithoutGarbage(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
  return heldBytes()
}
