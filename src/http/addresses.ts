// Paths. URLs cannot hold a segment that is "." or "..": even escaped it means another path.
import { fault } from '../errors/errors.ts'

/** Refuses a path that would be resolved to another one before it is routed. */
export function refuseClimbing(target: string): void {
  const [path = ''] = target.split(/[?#]/)
  if (!path.split(/[/\\]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return
  throw fault('INVALID_QUERY', 'No part of a path is "." or "..", escaped or not: it would lead elsewhere.', {
    hint: 'Write a key that is one as ~2E or ~2E~2E.',
  })
}
