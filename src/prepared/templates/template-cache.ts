import type { Cache } from '../../values/cache.ts'
import { isSameShape, type QueryShape } from './write-shape.ts'

/** Cache of templates by shape. Shapes with equal hashes share an entry. */
export type TemplateCache<Made> = Cache<readonly CachedTemplates<Made>[], number>

interface CachedTemplates<Made> {
  readonly shape: QueryShape
  readonly made: Made
}

export function madeFor<Made>(shape: QueryShape, cache: TemplateCache<Made>): Made | undefined {
  const entry = cache.get(shape.hash)
  if (entry) for (const kept of entry) if (isSameShape(shape, kept.shape)) return kept.made
  return undefined
}

export function keepFor<Made>(shape: QueryShape, made: Made, cache: TemplateCache<Made>): void {
  const { marks, hash } = shape
  const entry = cache.get(hash) ?? []
  cache.set(hash, [{ shape: { marks, hash }, made }, ...entry.slice(0, maxPerEntry - 1)])
}

/** Maximum number of templates per entry. More collide only by intent. */
const maxPerEntry = 4
