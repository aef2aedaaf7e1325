// The smoke in a Worker, over D1. Answers what each check answers.
import { Kysely } from 'kysely'
import { D1Dialect } from 'kysely-d1'
import { runSmoke } from '../run-smoke.ts'

export default {
  fetch: async (_request, { DB }) =>
    Response.json(await runSmoke(new Kysely({ dialect: new D1Dialect({ database: DB }) }), 'sqlite')),
}
