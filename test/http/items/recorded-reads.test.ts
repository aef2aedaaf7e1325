// The recorded requests on every way to a handler, over a schema that is described by hand.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { access, openRecorded, recorded } from '../../conformance/recorded.ts'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { databases } from '../../support/databases.ts'
import { troubles } from '../process.ts'
import { replay } from '../replay.ts'
import { transportsTo, type Wire } from '../transports.ts'

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, (database) => {
  let handler: ReturnType<typeof createHandler>
  beforeAll(async () => {
    const made = await openRecorded(database)
    handler = createHandler(made.engine, { authenticate: () => access, prefix: '/api' })
  })

  describe.each(transportsTo(database))('$title', ({ open }) => {
    let wire: Wire
    beforeAll(async () => {
      wire = await open(handler)
    })
    afterEach(() => expect(troubles()).toEqual([]))

    it.each(recorded)('$name', (request) => replay(request, wire))
  })
})
