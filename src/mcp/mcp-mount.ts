import type { Engine } from '../engine/engine.ts'
import { onAbort } from '../errors/abort-signal.ts'
import { checkOptions, optionNames, text } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import { jsonType, type Outgoing } from '../http/messages.ts'
import type { Mount, MountRequest } from '../http/mounts/mount.ts'
import { absent, checkCollections, protocol, serverFor } from './create-server.ts'
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
  const routes = (engine: Engine) => {
    checkCollections(engine, settings)
    return [{ path, methods, part: 'mcp' }]
  }
  return { routes, start: async () => void (await protocol()) }
}

const passed = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id']

/** The protocol's package never answers a request that a message beside it cancels. */
const severalMessages: Outgoing = {
  status: 400,
  headers: { 'content-type': jsonType },
  body: JSON.stringify({
    jsonrpc: '2.0',
    error: { code: -32600, message: 'A request holds one message. Several of them are several requests.' },
    id: null,
  }),
}

async function answer(engine: Engine, request: MountRequest, settings: McpSettings): Promise<Outgoing> {
  const parsedBody = await request.body()
  if (Array.isArray(parsedBody)) return severalMessages
  const server = await serverFor(engine, settings, request.report)
  const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  ).catch(absent)
  const transport = new Transport({ enableJsonResponse: true })
  const headers = new Headers(
    passed.flatMap((name) =>
      request.header(name) === undefined ? [] : [[name, request.header(name) ?? '']],
    ) as [string, string][],
  )
  try {
    await server.connect(transport)
    const response = await unlessLeft(request.signal, () =>
      transport.handleRequest(new Request('http://localhost/', { method: request.method, headers }), {
        parsedBody,
      }),
    )
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
  } finally {
    // Tools that are still at work are broken off.
    await server.close()
  }
}

/** Rejects as soon as the client leaves: the protocol's package does not listen to that. */
async function unlessLeft<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted()
  let stop = () => {}
  const left = new Promise<never>((_, reject) => {
    stop = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work(), left])
  } finally {
    stop()
  }
}
