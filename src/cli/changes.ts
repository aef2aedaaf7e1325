// `quernel changes`: installs, removes and checks the change log of a database.

import { createEngine } from '../create-engine.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { Engine } from '../engine/engine.ts'
import { isEngineError } from '../errors/errors.ts'
import { checkChangeLog } from '../realtime/change-log/check.ts'
import { type ChangeLogReport, installChangeLog, removeChangeLog } from '../realtime/change-log/install.ts'
import { defineSchema } from '../schema/define-schema.ts'
import type { ChangesArguments } from './arguments.ts'
import { withDatabase } from './open-database.ts'
import { readSchema } from './read-schema.ts'
import { failure, type Terminal } from './terminal.ts'

/** Installs, removes or checks the change log. */
export async function changes(words: ChangesArguments, terminal: Terminal): Promise<void> {
  const { database, action, isDry } = words
  await withDatabase(database, { isReadonly: isDry || action === 'check' }, terminal, async (db) => {
    const engine = await engineOf(words, db, terminal)
    if (action === 'check') await check(engine, terminal)
    else printReport(await run(engine, words, terminal), isDry, terminal)
  })
}

/** A schema where none is looked at. */
const anySchema = defineSchema({ any: { fields: { id: { type: 'integer', key: true } } } })

/** Returns an engine for what is to be done. To remove the log no tables are looked at: they may be gone. */
async function engineOf(words: ChangesArguments, db: HostDatabase, terminal: Terminal): Promise<Engine> {
  const schema = words.action === 'remove' ? anySchema : await readSchema(words, db, terminal)
  // The type of the schema is for the compiler only.
  return createEngine({ db, schema }) as unknown as Engine
}

async function run(engine: Engine, { action, isDry }: ChangesArguments, terminal: Terminal) {
  try {
    if (action === 'remove') return await removeChangeLog(engine, undefined, { dryRun: isDry })
    const collections = [...engine.schema.collections.values()].filter(({ key }) => key)
    const { refused } = await checkChangeLog(engine)
    const unfit = new Map(refused.map(({ collection, reason }) => [collection, reason]))
    for (const { name } of collections)
      if (unfit.has(name)) terminal.print(`skipped: "${name}" ${unfit.get(name)}.\n`)
    const names = collections.map(({ name }) => name).filter((name) => !unfit.has(name))
    return await installChangeLog(engine, names, { dryRun: isDry })
  } catch (error) {
    // Another role may have the right to run them.
    const statements: unknown = isEngineError(error) && error.extensions.statements
    if (Array.isArray(statements)) terminal.out(scriptOf(statements.map(String)))
    throw error
  }
}

function printReport(
  { statements, remarks }: ChangeLogReport,
  isDry: boolean,
  { out, print }: Terminal,
): void {
  for (const remark of remarks) print(`remark: ${remark}\n`)
  if (isDry) out(scriptOf(statements))
  else out(statements.length === 0 ? 'Nothing to do.\n' : `${statements.length} statements were run.\n`)
}

const scriptOf = (statements: readonly string[]): string => statements.map((text) => `${text};\n`).join('')

async function check(engine: Engine, { out }: Terminal): Promise<void> {
  const { isInstalled, rows, bytes, oldest, logged, broken, refused, unsafe } = await checkChangeLog(engine)
  if (!isInstalled) throw failure('This database has no change log.', 'quernel changes install makes one.')
  const since = oldest === null ? '' : `, the oldest of ${oldest.toISOString()}`
  out(`${rows} entries, ${bytes} bytes${since}\nlogged: ${logged.join(', ') || 'nothing'}\n`)
  for (const sentence of unsafe) out(`unsafe: ${sentence}\n`)
  for (const { collection, reason } of broken) out(`broken: "${collection}" ${reason}\n`)
  // A table that was built anew has lost all of its triggers, and is none of the broken ones.
  const known = new Set([...logged, ...[...broken, ...refused].map(({ collection }) => collection)])
  const unlogged = [...engine.schema.collections.keys()].filter((name) => !known.has(name))
  if (unlogged.length > 0) out(`not logged: ${unlogged.join(', ')}\n`)
  if (broken.length + unlogged.length > 0)
    throw failure('Not all changes are logged.', 'quernel changes install mends the triggers.')
  if (unsafe.length > 0)
    throw failure(
      'Others could run code by the change log.',
      'Remove it, and install it as the role that owns the tables; "alter table … owner to" does where you know who made them.',
    )
}
