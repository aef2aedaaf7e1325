// The change log in a Worker, over D1. Answers what was told, what was remarked on, and how long two looks were apart.
import { Kysely } from 'kysely'
import { D1Dialect, type D1DialectConfig } from 'kysely-d1'
import { createEngine, createItem, defineSchema } from '../../../../src/index.ts'
import {
  changeLogSource,
  checkChangeLog,
  installChangeLog,
  type SourceContext,
} from '../../../../src/realtime.ts'

const schema = defineSchema({
  tasks: { fields: { id: { type: 'integer', key: true }, title: { type: 'string', nullable: true } } },
})

interface Bindings {
  readonly DB: D1DialectConfig['database']
}

export default {
  fetch: async (_request: Request, { DB }: Bindings): Promise<Response> => {
    await DB.exec('create table tasks (id integer primary key, title text)')
    const db = new Kysely<object>({ dialect: new D1Dialect({ database: DB }) })
    const engine = createEngine({ db, schema })
    const create = (id: number) =>
      createItem(engine, 'tasks', { id, title: 'Sing' }).then(String, (error) => error.code)
    const created = [await create(7)]
    const refused = await installChangeLog(engine, ['tasks']).catch((error) => error.code)
    const { statements } = await installChangeLog(engine, ['tasks'], { dryRun: true })
    for (const statement of statements) await DB.prepare(statement).run()
    const { logged, rows } = await checkChangeLog(engine)
    const again = await installChangeLog(engine, ['tasks'])
    created.push(await create(8))
    const remarks: string[] = []
    const over = new AbortController()
    const context: SourceContext = {
      engine,
      wants: () => true,
      signal: over.signal,
      onError: (error) => remarks.push(Object(error).message),
    }
    const told: unknown[] = []
    for await (const { changes } of changeLogSource({ everyMs: 50 }).read(undefined, context)) {
      told.push(...changes)
      if (told.length > 1) over.abort()
      else if (told.length === 1) await DB.prepare(`insert or replace into tasks values (1, 'again')`).run()
      else await DB.prepare(`insert into tasks values (1, 'Paint')`).run()
    }
    return Response.json({ refused, logged, rows, again: again.statements.length, created, told, remarks })
  },
}
