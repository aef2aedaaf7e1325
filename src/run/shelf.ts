import type { Cache } from './cache.ts'
import { isSameShape, type Shape } from './shape-writer.ts'

/** What was made for shapes. Those whose hashes are the same stand together. */
export type Shelf<Made> = Cache<readonly Kept<Made>[], number>

interface Kept<Made> {
  readonly shape: Shape
  readonly made: Made
}

export function madeFor<Made>(shape: Shape, shelf: Shelf<Made>): Made | undefined {
  const place = shelf.get(shape.hash)
  if (place) for (const kept of place) if (isSameShape(shape, kept.shape)) return kept.made
  return undefined
}

export function keepFor<Made>(shape: Shape, made: Made, shelf: Shelf<Made>): void {
  const { marks, hash } = shape
  const place = shelf.get(hash) ?? []
  shelf.set(hash, [{ shape: { marks, hash }, made }, ...place.slice(0, mostInOnePlace - 1)])
}

/** More than this many come together only where somebody means them to. */
const mostInOnePlace = 4
