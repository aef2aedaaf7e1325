import { sql } from '../sql.ts'
import type { ServerPhrases } from '../transaction-phrases.ts'

export const server: ServerPhrases = {
  ask: sql`select version() as "0", current_setting('default_transaction_isolation') as "1"`,
  // Other databases that speak the protocol of PostgreSQL have versions of their own.
  refusal: (name) => {
    const [, version = ''] = /^PostgreSQL (\d+)(?!\S*-YB-)/.exec(name) ?? []
    return version !== '' && Number(version) < oldest
      ? `PostgreSQL ${version} is too old: version ${oldest} is the oldest that works.`
      : undefined
  },
  // Compiled to WebAssembly it runs in the calling thread, where no timer fires.
  endsStatements: (name) => !name.includes('emscripten'),
}

const oldest = 14
