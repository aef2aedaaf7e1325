import { createEngine } from '../create-engine.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { isEngineError } from '../errors/errors.ts'
import { additionsFor } from '../introspect/additions.ts'
import { checkSchema, compare } from '../introspect/check-schema.ts'
import { createMcpServer } from '../mcp/create-server.ts'
import { limitsFromEnvironment } from '../query/limits.ts'
import type { Schema } from '../schema/model.ts'
import { printAccess } from './access.ts'
import {
  type AgentArguments,
  accessArguments,
  agentArguments,
  type CheckArguments,
  changesArguments,
  checkArguments,
  initArguments,
  introspectArguments,
  type SchemaArguments,
  schemaArguments,
  serveArguments,
} from './arguments.ts'
import { changes } from './changes.ts'
import { shownPlace } from './database-place.ts'
import { init } from './init.ts'
import { withDatabase } from './open-database.ts'
import { printDatabase } from './print-schema.ts'
import { loadSchema, readSchema } from './read-schema.ts'
import { serve } from './serve.ts'
import { type Exit, exits, failure, installGraphQL, misuse, printError, type Terminal } from './terminal.ts'

/** Undefined = it is done. */
type Command = (words: readonly string[], terminal: Terminal) => Promise<Exit> | Promise<void> | undefined

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['init', (words, terminal) => init(initArguments(words), terminal)],
  [
    'introspect',
    (words, terminal) => printDatabase(introspectArguments(words, terminal.environment), terminal),
  ],
  ['graphql', (words, terminal) => printGraphQL(schemaArguments(words, terminal.environment), terminal)],
  ['changes', (words, terminal) => changes(changesArguments(words, terminal.environment), terminal)],
  ['check', (words, terminal) => check(checkArguments(words, terminal.environment), terminal)],
  ['diff', (words, terminal) => diff(checkArguments(words, terminal.environment), terminal)],
  ['access', (words, terminal) => printAccess(accessArguments(words), terminal)],
  ['mcp', (words, terminal) => agents(agentArguments(words, terminal.environment), terminal)],
  ['serve', (words, terminal) => serve(serveArguments(words, terminal.environment), terminal)],
])

/** Runs the command of a command line, and returns the exit code of the process.
 *  @example process.exitCode = await runCommand(['introspect', 'shop.db'], terminal) */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<Exit> {
  const options = words.slice(0, words.includes('--') ? words.indexOf('--') : words.length)
  if (options.includes('--help') || options.includes('-h')) {
    terminal.out(help)
    return exits.done
  }
  if (options.includes('--version')) {
    terminal.out(`${terminal.version()}\n`)
    return exits.done
  }
  try {
    const [name, ...others] = words
    const command = name === undefined ? undefined : commands.get(name)
    if (!command)
      throw misuse(
        name === undefined ? 'No command is given.' : `There is no command ${JSON.stringify(name)}.`,
      )
    return (await command(others, terminal)) ?? exits.done
  } catch (error) {
    if (!isEngineError(error)) throw error
    printError(error, terminal)
    return error.extensions.isMisuse === true ? exits.misused : exits.failed
  }
}

/** Prints what differs. A check that could not be made has another exit code than one that found something. */
async function check(words: CheckArguments, terminal: Terminal): Promise<Exit> {
  return withBoth(words, terminal, async (db, schema) => {
    const differences = await checkSchema(db, schema, words.options)
    for (const { kind, message } of differences) terminal.out(`${kind}: ${message}\n`)
    if (differences.length === 0) terminal.out(`${shownPlace(words.database)} has what the schema says.\n`)
    return differences.length === 0 ? exits.done : exits.failed
  })
}

/** Prints the SQL that adds what is missing, and runs none of it. */
async function diff(words: CheckArguments, terminal: Terminal): Promise<Exit> {
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
  try {
    const schema = await loadSchema(schemaFile)
    return await withDatabase(database, { isReadonly: true }, terminal, (db) => work(db, schema))
  } catch (error) {
    if (!isEngineError(error)) throw error
    printError(error, terminal)
    return exits.misused
  }
}

/** Answers an agent until it closes its end. Standard output belongs to the protocol. */
async function agents(words: AgentArguments, terminal: Terminal): Promise<void> {
  const { database, isWritable } = words
  await withDatabase(database, { isReadonly: !isWritable }, terminal, async (db) => {
    const schema = await readSchema(words, db, terminal)
    const engine = createEngine({ db, schema, limits: limitsFromEnvironment(terminal.environment) })
    const server = await createMcpServer(engine.as({ admin: true }), { write: isWritable, explain: true })
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
    const closed = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve))
    await server.connect(new StdioServerTransport())
    await closed
    await server.close()
  })
}

/** Prints the GraphQL schema of a database, and reports what has no name in it. */
async function printGraphQL(words: SchemaArguments, terminal: Terminal): Promise<void> {
  const { printGraphQLSchema, reportGraphQLNames } = await loadLanguage()
  await withDatabase(words.database, { isReadonly: true }, terminal, async (db) => {
    const engine = createEngine({ db, schema: await readSchema(words, db, terminal) })
    terminal.out(printGraphQLSchema(engine))
    for (const { kind, message } of reportGraphQLNames(engine)) terminal.print(`${kind}: ${message}\n`)
  })
}

type GraphQLEntry = Pick<typeof import('../graphql.ts'), 'printGraphQLSchema' | 'reportGraphQLNames'>

/** Loads what needs the package `graphql`, which no other command does. */
export async function loadLanguage(
  from: () => Promise<GraphQLEntry> = () => import('../graphql.ts'),
): Promise<GraphQLEntry> {
  try {
    return await from()
  } catch (cause) {
    throw failure('The package "graphql" cannot be loaded.', installGraphQL, cause)
  }
}

const help = `Usage: quernel <command> [database] [options]

The database is a file of SQLite (shop.db, sqlite:shop.db, file:///data/shop.db?mode=ro), or a URL of PostgreSQL
(postgres://user:password@host/name); without one, it is what DATABASE_URL names. The driver is that of the project in this folder:
better-sqlite3, or what Node has of its own from 22.16 on; pg, or postgres.

Commands:
  init [folder]           write a project that starts and passes its test, a board for a team, into a new or an empty folder
  introspect [database]   print its schema as TypeScript; what could not be taken as it is goes to standard error
  graphql [database]      print its schema as GraphQL clients see it; needs the package graphql
  changes install|remove|check [database]  log the changes of all writers, for realtime in several processes
  check [database] <schema file>
                          print what the database lacks of a schema; exits 1 if it lacks anything, and 2 if that cannot be known
  diff [database] <schema file>
                          print the SQL that adds what is missing, for your migrations; the rest is comments, and nothing is run
  access <schema file>    print what the roles may do that the file exports beside the schema, as a table
  mcp [database]          tools for agents, over standard input and output; needs the package @modelcontextprotocol/sdk
  serve [database]        answer the whole API over it

Options of init:
  --server <name>         express, hono or next; by default express
  --database <name>       sqlite or postgres; by default sqlite

Options of introspect, graphql, changes, mcp and serve:
  --include <pattern>     only these tables; * stands for anything, and the option may be repeated, as all of these
  --exclude <pattern>     not these tables
  --db-schema <name>      look into this schema of the database
  --key <table>=<columns> the key of a table or view that has none of its own, with commas between several; on SQLite it may be rowid
  --type <table>.<column>=<type>  what a column holds, where the database does not say
  --relation <table>.<column>=<table>.<column>  where a column leads without a foreign key, to a key or a unique column; with commas between several
  --overrides <file>      JSON of more such facts, as the option "override" of introspectSchema takes them
  --verbose               the whole report, where it is long

Option of graphql, changes, mcp and serve:
  --schema-file <file>    a module that exports "schema", in the place of what the database says

Option of changes:
  --dry                   print the statements, and run none

Options of check and diff:
  --files, --flows        the tables of files, or of flows, are in use, too

Option of access:
  --role <name>           this role only; may be repeated

Option of mcp:
  --write                 agents may create, update and delete, each after a plan that is confirmed

Options of serve:
  --port <number>         by default 3000; 0 for any that is free
  --host <address>        by default 127.0.0.1; any other needs a token
  --token <token>         requests with "Authorization: Bearer" and this token may do everything; it may also stand in QUERNEL_TOKEN
  --readonly              nothing is changed: the database is opened for reading, and requests can only read
  --cors <origin>         pages of this origin, such as http://localhost:5173, may read the responses; may be repeated

  --help, --version

Examples:
  quernel init board --server hono
  quernel introspect shop.db > schema.ts
  quernel graphql shop.db > schema.graphql
  quernel changes install postgres://localhost/shop --schema-file schema.js --dry
  quernel check postgres://localhost/shop schema.js
  quernel diff shop.db schema.js > migrations/7.sql
  quernel access schema.js --role editor
  quernel serve postgres://localhost/shop --readonly
`
