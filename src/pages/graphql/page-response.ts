// The page to write and run documents. It is one file without data, and public; what it shows is requested with the user's token.
import type { Outgoing } from '../../http/messages.ts'
import type { OpenRequest } from '../../http/mounts/mount.ts'

/** Returns the page for a browser that opens the path; undefined for whatever is a request of GraphQL. */
export async function pageResponse(request: OpenRequest): Promise<Outgoing | undefined> {
  if (!asksForPage(request)) return undefined
  // Loaded on first use, because most servers never show it.
  const { html, scriptHash, styleHash } = await import('./built-page.js')
  return {
    status: 200,
    headers: { ...headers, 'content-security-policy': policy(scriptHash, styleHash) },
    body: html,
  }
}

/** True for a browser and an address without a document: one with a document is executed as usual, in a browser, too. */
function asksForPage({ method, queryString, header }: OpenRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const parameters = new URLSearchParams(queryString)
  if (parameters.has('query') || parameters.has('documentId')) return false
  const accepted = header('accept') ?? ''
  const html = qualityOf(accepted, ['text/html'])
  return html > 0 && html > qualityOf(accepted, ['application/json', 'application/graphql-response+json'])
}

/** The highest quality of the types that an `Accept` names; 0 if it names none. What it takes by an asterisk does not count. */
function qualityOf(accepted: string, types: readonly string[]): number {
  const qualities = accepted.split(',').map((range) => {
    const [type = '', ...parameters] = range.toLowerCase().split(';')
    if (!types.includes(type.trim())) return 0
    const quality = parameters.map((one) => one.trim()).find((one) => one.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice('q='.length)) || 0
  })
  return Math.max(...qualities)
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  // Asked for again each time, and mostly answered by 304. The same path answers GraphQL to other clients.
  'cache-control': 'no-cache',
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Nothing runs and nothing is loaded but the page's own script and style; requests go to its own server alone, and no text becomes HTML. */
const policy = (scriptHash: string, styleHash: string): string =>
  [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    // For the icon in the page.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
