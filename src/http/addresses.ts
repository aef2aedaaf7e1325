// Paths of requests. URLs cannot hold a segment that is "." or "..": even escaped it means another path.
import { fault } from '../errors/errors.ts'

/** Returns path and query string of a URL, which was parsed before and is normalized. */
export function splitUrl(url: string): { readonly path: string; readonly search: string } {
  const [, path = '/', search = ''] = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(url) ?? []
  return { path, search }
}

/** Returns the segments of a path below the prefix, each decoded once; undefined for a path that is outside, or no text. */
export function segmentsOf(url: string, prefix: string): readonly string[] | undefined {
  const { path } = splitUrl(url)
  const start = `/${prefix.split('/').filter(Boolean).join('/')}`
  const inside = start === '/' ? path : path.startsWith(`${start}/`) ? path.slice(start.length) : undefined
  if (inside === undefined) return undefined
  try {
    return inside.replace(/\/$/, '').split('/').slice(1).map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** Refuses a path that would be resolved to another one before it is routed. */
export function refuseClimbing(target: string): void {
  const [path = ''] = target.split(/[?#]/)
  if (!path.split(/[/\\]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return
  throw fault('INVALID_QUERY', 'No part of a path is "." or "..", escaped or not: it would lead elsewhere.', {
    hint: 'Write a key that is one as ~2E or ~2E~2E.',
  })
}
