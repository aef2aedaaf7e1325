// `quernel mcp`, by the client of the protocol's own package.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { builtCommand, openShop, type Shop } from '../cli/command.ts'

const programOf = builtCommand()
let shop: Shop
beforeEach(() => {
  shop = openShop()
})
afterEach(() => shop.remove())

async function connected(words: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const args = [programOf('cli'), 'mcp', shop.file, ...words]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  return client
}

it('reads a database, and changes it only where it is told to', async () => {
  const reader = await connected([])
  const { tools } = await reader.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['describe', 'list', 'get', 'aggregate', 'explain'])
  const { content } = await reader.callTool({ name: 'describe', arguments: { names: ['authors'] } })
  expect(JSON.stringify(content)).toContain('authors[crud]')
  await reader.close()
  const writer = await connected(['--write'])
  expect((await writer.listTools()).tools).toHaveLength(7)
  await writer.close()
})
