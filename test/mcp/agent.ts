// A client of tools in memory.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { createMcpServer } from '../../src/mcp.ts'
import { atEnd } from '../support/at-end.ts'

/** Connects a client, until the test ends, with a server that is being made. */
export async function openAgent(made: ReturnType<typeof createMcpServer>) {
  const server = await made
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(here)
  atEnd(() => client.close())
  return { server, client, call: (name: string, input: object = {}) => textOf(client, name, input) }
}

export async function textOf(client: Client, name: string, input: object): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...input } })
  return (content as readonly { readonly text: string }[])[0]?.text ?? ''
}
