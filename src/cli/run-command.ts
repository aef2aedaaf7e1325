import { isEngineError } from '../errors/errors.ts'
import { introspectArguments, schemaArguments, serveArguments } from './arguments.ts'
import { help } from './help.ts'
import { printDatabase } from './print-database.ts'
import { printGraphQL } from './print-graphql.ts'
import { serve } from './serve.ts'
import { type Exit, exits, misuse, type Terminal } from './terminal.ts'

type Command = (words: readonly string[], terminal: Terminal) => Promise<void>

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'introspect',
    (words, terminal) => printDatabase(introspectArguments(words, terminal.environment), terminal),
  ],
  ['graphql', (words, terminal) => printGraphQL(schemaArguments(words, terminal.environment), terminal)],
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
    await command(others, terminal)
    return exits.done
  } catch (error) {
    if (!isEngineError(error)) throw error
    for (const { message, hint } of error.errors ?? [error])
      terminal.tell(`quernel: ${message}${hint === undefined ? '' : `\n  ${hint}`}\n`)
    return error.extensions.isMisuse === true ? exits.misused : exits.failed
  }
}
