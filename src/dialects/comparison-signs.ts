import type { Sign } from './phrase-types.ts'
import { type Sql, sql } from './sql.ts'

/** The comparison signs as SQL. A bundle that compiles no filter leaves them out, and what they are made by. */
export const signs = {
  '=': /* @__PURE__ */ sql.raw('='),
  '<': /* @__PURE__ */ sql.raw('<'),
  '<=': /* @__PURE__ */ sql.raw('<='),
  '>': /* @__PURE__ */ sql.raw('>'),
  '>=': /* @__PURE__ */ sql.raw('>='),
} as const satisfies Record<Sign, Sql>
