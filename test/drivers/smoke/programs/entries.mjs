// All entries in a Worker. Answers what each of them exports.

import * as upload from '../../../../src/client/upload.ts'
import * as client from '../../../../src/client.ts'
import * as dialects from '../../../../src/dialects.ts'
import * as files from '../../../../src/export.ts'
import * as filter from '../../../../src/filter.ts'
import * as flows from '../../../../src/flows.ts'
import * as graphql from '../../../../src/graphql.ts'
import * as http from '../../../../src/http.ts'
import * as index from '../../../../src/index.ts'
import * as introspect from '../../../../src/introspect.ts'
import * as mcp from '../../../../src/mcp.ts'
import * as postgres from '../../../../src/postgres.ts'
import * as realtime from '../../../../src/realtime.ts'
import * as sqlite from '../../../../src/sqlite.ts'
import * as storage from '../../../../src/storage.ts'
import * as zod from '../../../../src/zod.ts'

const entries = {
  '.': index,
  client,
  'client/upload': upload,
  dialects,
  export: files,
  filter,
  flows,
  graphql,
  http,
  introspect,
  mcp,
  postgres,
  realtime,
  sqlite,
  storage,
  zod,
}

export default {
  fetch: () =>
    Response.json(
      Object.fromEntries(Object.entries(entries).map(([name, all]) => [name, Object.keys(all).sort()])),
    ),
}
