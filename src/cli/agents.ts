// `quernel mcp`: tools for agents over standard input and output.
import { createEngine } from '../create-engine.ts'
import { createMcpServer } from '../mcp/create-server.ts'
import { limitsFromEnvironment } from '../query/limits.ts'
import type { AgentArguments } from './arguments.ts'
import { openDatabase } from './open-database.ts'
import { readSchema } from './read-schema.ts'
import type { Terminal } from './terminal.ts'

/** Answers an agent until it closes its end. Standard output belongs to the protocol. */
export async function agents(words: AgentArguments, terminal: Terminal): Promise<void> {
  const { database, isWritable } = words
  const { print, load } = terminal
  const db = await openDatabase(database, { isReadonly: !isWritable, print, load })
  try {
    const schema = await readSchema(words, db, terminal)
    const engine = createEngine({ db, schema, limits: limitsFromEnvironment(terminal.environment) })
    const server = await createMcpServer(engine.as({ admin: true }), { write: isWritable, explain: true })
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
    const closed = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve))
    await server.connect(new StdioServerTransport())
    await closed
    await server.close()
  } finally {
    await db.destroy()
  }
}
