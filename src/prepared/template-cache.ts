import type { Cache } from '../values/cache.ts'
import { isSameShape, type QueryShape } from './write-shape.ts'

/** What was made for shapes. Those whose hashes are the same stand together. */
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

/** More than this many come together only where somebody means them to. */
const mostInOnePlace = 4
