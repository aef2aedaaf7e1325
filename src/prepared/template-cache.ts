import type { Cache } from '../values/cache.ts'
import { isSameShape, type QueryShape } from './write-shape.ts'

/** Cache of templates by shape. Shapes with equal hashes share an entry. */
export type TemplateCache<Made> = Cache<readonly CachedTemplates<Made>[], number>

interface CachedTemplates<Made> {
  readonly shape: QueryShape
  readonly made: Made
}

export function madeFor<Made>(shape: QueryShape, shelf: TemplateCache<Made>): Made | undefined {
  const place = shelf.get(shape.hash)
  if (place) for (const kept of place) if (isSameShape(shape, kept.shape)) return kept.made
  return undefined
}

export function keepFor<Made>(shape: QueryShape, made: Made, shelf: TemplateCache<Made>): void {
  const { marks, hash } = shape
  const place = shelf.get(hash) ?? []
  shelf.set(hash, [{ shape: { marks, hash }, made }, ...place.slice(0, mostInOnePlace - 1)])
}

/** Maximum number of templates per entry. More collide only by intent. */
const mostInOnePlace = 4
