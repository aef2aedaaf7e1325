// Paths of requests. URLs cannot hold a segment that is "." or "..": even escaped it means another path.
import { fault, type Path, quote } from '../errors/errors.ts'

/** Returns path and query string of a URL, which was parsed before and is normalized. */
export function splitUrl(url: string): { readonly path: string; readonly search: string } {
  const [, path = '/', search = ''] = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(url) ?? []
  return { path, search }
}

/** Returns the segments of a path below the prefix, each decoded once; undefined for a path that is outside, or no text. */
export function segmentsOf(url: string, prefix: readonly string[]): readonly string[] | undefined {
  const { path } = splitUrl(url)
  const segments = decoded(path.replace(/\/$/, '').split('/').slice(1))
  if (!segments || prefix.length === 0) return segments
  return prefix.every((part, index) => part === segments[index]) ? segments.slice(prefix.length) : undefined
}

/** Returns the segments of a prefix, with or without slashes around it. Refuses what no path of a request begins with. */
export function prefixSegments(prefix: string, path: Path = ['prefix']): readonly string[] {
  const segments = decoded(prefix.split('/').filter(Boolean))
  if (segments && !neverInPath.test(prefix) && !segments.some(isPattern)) return segments
  throw fault('INVALID_OPTIONS', `"prefix" is the beginning of a path, not ${quote(prefix)}.`, {
    path,
    hint: 'Write it as /api, without a host, a query string, or a pattern such as * or :name.',
  })
}

function decoded(segments: readonly string[]): readonly string[] | undefined {
  try {
    return segments.some((segment) => segment.includes('%')) ? segments.map(decodeURIComponent) : segments
  } catch {
    return undefined
  }
}

const neverInPath = /[?#\\]|^[a-z][a-z\d+.-]*:\/\/|^\s|\s$/i

/** True for a part that routers read as a pattern, or URLs as another path. */
const isPattern = (part: string): boolean => part.includes('*') || /^(?::|\.{1,2}$)/.test(part)

/** Refuses a path that would be resolved to another one before it is routed. */
export function refuseClimbing(target: string): void {
  if (!/\.|%2e/i.test(target)) return
  const [path = ''] = target.split(/[?#]/)
  if (!path.split(/[/\\]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return
  throw fault(
    'INVALID_QUERY',
    'A segment of a path cannot be "." or "..", escaped or not: URLs treat them as steps.',
    {
      hint: 'Write such a key as ~2E or ~2E~2E.',
    },
  )
}
