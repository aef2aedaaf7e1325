// Decides whether what was compiled for one request serves others of its shape.

import type { Path } from '../../errors/errors.ts'
import { type BindSettings, keyPath, type OpenValue, type ReadRequestValues } from './bind.ts'
import { type ShapedRequest, shapeOf } from './query-shape.ts'
import { asksForAll, bindValues } from './template.ts'

/** A request whose values are bound to what others of its shape have compiled. */
export interface SharedRequest extends ShapedRequest, ReadRequestValues {}

export interface Watched<Made> {
  readonly made: Made
  readonly isDenied: boolean
  readonly variables: readonly Path[]
}

/** Compiles for a request and notes whether another caller might be denied less, and which parts depend on the caller. */
export function compileWatching<Request extends SharedRequest, Made>(
  request: Request,
  make: (request: Request) => Made,
): Watched<Made> {
  let isDenied = false
  const variables: Path[] = []
  const onDenied = () => {
    isDenied = true
  }
  const onVariable = (path: Path) => {
    variables.push(path)
  }
  const made = make({ ...request, circumstances: { ...request.circumstances, onDenied, onVariable } })
  return { made, isDenied, variables }
}

/** True if open values serve other requests. A value may become a word of the statement, such as false; then it is not bound, and the next
 *  caller would get the same. */
export function canServeOthers(
  openValues: readonly OpenValue[],
  request: SharedRequest,
  settings: BindSettings,
  variables: readonly Path[],
): boolean {
  const holes: Path[] = [...variables]
  // The key of a single item is not in the shape, so it has to be bound like an omitted value.
  if (request.verb === 'one') holes.push(keyPath)
  shapeOf(request, (path) => holes.push(path))
  return asksForAll(holes, openValues) && bindValues(openValues, request, settings) !== undefined
}
