// Recorded requests over HTTP: status and answer are as they were recorded, but for the deviations.
import { expect } from 'vitest'
import { deviations } from '../conformance/deviations.ts'
import { alike, type Recorded } from '../conformance/recorded.ts'
import type { Wire } from './transports.ts'

const deviating = new Map(deviations.flatMap(({ answers }) => Object.entries(answers)))

/** The table of errors: what the code of a deviation says over HTTP. All requests were recorded with 200. */
const statuses: Readonly<Record<string, number>> = { INVALID_QUERY: 400, FORBIDDEN: 403, NOT_FOUND: 404 }

export async function replay(
  request: Recorded,
  wire: Wire,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const sent = sentOf(request)
  const { status, text } = await wire.send({ ...sent, headers: { ...sent.headers, ...headers } })
  const body = alike(JSON.parse(text))
  const deviation = deviating.get(request.name)
  if (typeof deviation === 'string') {
    expect({ status, body }).toMatchObject({
      status: statuses[deviation],
      body: { errors: [{ extensions: { code: deviation } }] },
    })
  } else {
    expect({ status, body }).toEqual({ status: 200, body: alike(deviation ?? request.expect) })
  }
}

function sentOf({ method = 'GET', collection, key, query, beside }: Recorded) {
  const isText = typeof query === 'string'
  const search = isText ? query : (beside ?? '')
  // A path is sent as it is; what no path can hold is escaped like a browser does.
  const path = `/api/items/${collection}${key === undefined ? '' : `/${encodeURIComponent(key)}`}?${search}`
  const { pathname, search: escaped } = new URL(path, 'http://localhost')
  const body = isText ? undefined : Buffer.from(JSON.stringify({ query }))
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
  return { method, path: `${pathname}${escaped}`, headers, body }
}
