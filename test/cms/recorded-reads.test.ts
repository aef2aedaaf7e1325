// The recorded requests over a schema that is read from the database of the service, asked with a token that is in it.
import { afterAll, beforeAll, describe, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import { createEngine } from '../../src/index.ts'
import { readCmsAccess, readCmsSchema } from '../../src/introspect.ts'
import { type Recorded, recorded } from '../conformance/recorded.ts'
import { replay } from '../http/replay.ts'
import { transports, type Wire } from '../http/transports.ts'
import { cmsDatabases } from './databases.ts'

/** The service answers for these under names of their own. */
const tables: Readonly<Record<string, string>> = { users: 'directus_users', roles: 'directus_roles' }
const inTables = ({ collection, ...request }: Recorded): Recorded => ({
  ...request,
  collection: tables[collection] ?? collection,
})

describe.each(cmsDatabases)('on $name', ({ open }) => {
  let wire: Wire
  beforeAll(async () => {
    const opened = await open()
    const { db } = opened
    const schema = await readCmsSchema(db)
    const { authenticate } = await readCmsAccess(db, { schema })
    const engine = createEngine({ db, schema, ...schema.options })
    const [web] = transports
    if (!web) throw new Error('There is no way to a handler.')
    wire = await web.open(createHandler(engine, { authenticate, prefix: '/api' }))
  })
  afterAll(() => wire.close())

  it.each(recorded)('$name', (request) =>
    replay(inTables(request), wire, { authorization: 'Bearer admin-token' }),
  )
})
