// `quernel check` and `quernel diff`: compare a schema file with a database.
import type { HostDatabase } from '../dialects/host.ts'
import { isEngineError } from '../errors/errors.ts'
import { additionsFor } from '../introspect/additions.ts'
import { checkSchema, compare } from '../introspect/check-schema.ts'
import type { Schema } from '../schema/model.ts'
import type { CheckArguments } from './arguments.ts'
import { shownPlace } from './database-place.ts'
import { openDatabase } from './open-database.ts'
import { loadSchema } from './read-schema.ts'
import { type Exit, exits, printError, type Terminal } from './terminal.ts'

/** Prints what differs. A check that could not be made has another exit code than one that found something. */
export async function check(words: CheckArguments, terminal: Terminal): Promise<Exit> {
  return withBoth(words, terminal, async (db, schema) => {
    const differences = await checkSchema(db, schema, words.options)
    for (const { kind, message } of differences) terminal.out(`${kind}: ${message}\n`)
    if (differences.length === 0) terminal.out(`${shownPlace(words.database)} has what the schema says.\n`)
    return differences.length === 0 ? exits.done : exits.failed
  })
}

/** Prints the SQL that adds what is missing, and runs none of it. */
export async function diff(words: CheckArguments, terminal: Terminal): Promise<Exit> {
  return withBoth(words, terminal, async (db, schema) => {
    const additions = additionsFor(await compare(db, schema, words.options))
    terminal.out(additions || `-- ${shownPlace(words.database)} has what the schema says.\n`)
    return exits.done
  })
}

/** Loads the schema, opens the database for reading, and closes it. */
async function withBoth(
  { database, schemaFile }: CheckArguments,
  terminal: Terminal,
  work: (db: HostDatabase, schema: Schema) => Promise<Exit>,
): Promise<Exit> {
  const { print, load } = terminal
  try {
    const schema = await loadSchema(schemaFile)
    const db = await openDatabase(database, { isReadonly: true, print, load })
    try {
      return await work(db, schema)
    } finally {
      await db.destroy()
    }
  } catch (error) {
    if (!isEngineError(error)) throw error
    printError(error, terminal)
    return exits.misused
  }
}
