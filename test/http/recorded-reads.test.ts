// The recorded requests over HTTP: status and answer are as they were recorded, but for the deviations.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import { deviations } from '../conformance/deviations.ts'
import { access, alike, openRecorded, type Recorded, recorded } from '../conformance/recorded.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { troubles } from './process.ts'
import { transports, type Wire } from './transports.ts'

const deviating = new Map(deviations.flatMap(({ answers }) => Object.entries(answers)))

/** The table of errors: what the code of a deviation says over HTTP. All requests were recorded with 200. */
const statuses: Readonly<Record<string, number>> = { INVALID_QUERY: 400, FORBIDDEN: 403, NOT_FOUND: 404 }

describe.each(databases)('on $name', (database) => {
  let opened: OpenDatabase
  let handler: ReturnType<typeof createHandler>
  beforeAll(async () => {
    const made = await openRecorded(database)
    opened = made.opened
    handler = createHandler(made.engine, { authenticate: () => access, prefix: '/api' })
  })
  afterAll(() => opened.close())

  describe.each(transports)('$title', ({ open }) => {
    let wire: Wire
    beforeAll(async () => {
      wire = await open(handler)
    })
    afterAll(() => wire.close())
    afterEach(() => expect(troubles()).toEqual([]))

    it.each(recorded)('$name', async (request) => {
      const { status, text } = await wire.send(sentOf(request))
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
    })
  })
})

function sentOf({ method = 'GET', collection, key, query, beside }: Recorded) {
  const isText = typeof query === 'string'
  const search = isText ? query : (beside ?? '')
  // A path is sent as it is; what no path can hold is escaped like a browser does.
  const path = `/api/items/${collection}${key === undefined ? '' : `/${encodeURIComponent(key)}`}?${search}`
  const { pathname, search: escaped } = new URL(path, 'http://localhost')
  const body = isText ? undefined : Buffer.from(JSON.stringify({ query }))
  const headers = body ? { 'content-type': 'application/json' } : {}
  return { method, path: `${pathname}${escaped}`, headers, body }
}
