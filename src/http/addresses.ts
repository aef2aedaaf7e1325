// Keys as parts of paths. URLs have no way to write a part that is "." or "..": also escaped it means another place.
import { fault } from '../errors/errors.ts'

/** The key that a part of a path names, after it was decoded as every part is. */
export const keyIn = (part: string): string =>
  part.replace(/~(2C|7E|2F|2E|25)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Refuses a target that would become another one before anybody looks at it. */
export function refuseClimbing(target: string): void {
  const [path = ''] = target.split(/[?#]/)
  if (!path.split(/[/\\]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return
  throw fault('INVALID_QUERY', 'No part of a path is "." or "..", escaped or not: it would lead elsewhere.', {
    hint: 'Write a key that is one as ~2E or ~2E~2E.',
  })
}
