import type { Engine } from '../engine/engine.ts'
import { checkOptions, optionNames, text } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import type { Outgoing } from '../http/messages.ts'
import type { Mount, MountRequest } from '../http/mounts/mount.ts'
import { protocol, serverFor } from './create-server.ts'
import { type McpOptions, type McpSettings, mcpKinds, mcpSettings } from './mcp-options.ts'

/** Options of tools for agents beside REST. */
export interface McpMountOptions extends McpOptions {
  /** Path of the endpoint, below the prefix of the handler. By default `/mcp`. */
  readonly path?: string
}

const names = optionNames<McpMountOptions>({ ...mcpKinds, path: text })

/** Returns the tools for agents as a mount of a handler: streamable HTTP without sessions, each request as the caller whom `authenticate` finds.
 *  @example const handler = createHandler(engine, { authenticate: () => ({ admin: true }), mounts: [mcp()] }) */
export function mcp(options: McpMountOptions = {}): Mount {
  checkOptions(options, names)
  const { path = '/mcp', ...others } = options
  const settings = mcpSettings(others)
  // Runtimes that are not Node have no such module.
  const isOneOfSeveral = Reflect.get(Object(process.getBuiltinModule?.('node:cluster')), 'isWorker') === true
  if (settings.write && isOneOfSeveral && options.confirmKey === undefined)
    throw fault(
      'INVALID_OPTIONS',
      'Several processes need one "confirmKey": a plan may be confirmed at another.',
      {
        path: ['confirmKey'],
      },
    )
  const methods = { POST: (engine: Engine, request: MountRequest) => answer(engine, request, settings) }
  return { routes: () => [{ path, methods, part: 'mcp' }], start: async () => void (await protocol()) }
}

const passed = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id']

async function answer(engine: Engine, request: MountRequest, settings: McpSettings): Promise<Outgoing> {
  const server = await serverFor(engine, settings)
  const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  )
  const transport = new Transport({ enableJsonResponse: true })
  const parsedBody = await request.body()
  const headers = new Headers(
    passed.flatMap((name) =>
      request.header(name) === undefined ? [] : [[name, request.header(name) ?? '']],
    ) as [string, string][],
  )
  try {
    await server.connect(transport)
    const response = await transport.handleRequest(
      new Request('http://localhost/', { method: request.method, headers, signal: request.signal }),
      { parsedBody },
    )
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
  } finally {
    await server.close()
  }
}
