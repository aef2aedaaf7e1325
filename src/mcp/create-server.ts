import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { type Engine, internalsOf } from '../engine/engine.ts'
import { fault, isEngineError, quote, toErrorBody } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { reporter } from '../execution/report-errors.ts'
import { shownError } from '../http/error-response.ts'
import { excessOf } from '../query/reader.ts'
import { isRecord } from '../values/guards.ts'
import { type McpOptions, type McpSettings, mcpSettings } from './mcp-options.ts'
import { mayAnywhere, readTools } from './tools.ts'
import { writeTools } from './write-tools.ts'

/** Creates a server of the Model Context Protocol for one caller, to be connected to any transport. Needs the package
 *  `@modelcontextprotocol/sdk`.
 *  @example const server = await createMcpServer(engine.as({ rules: { tags: { read: true } } })) */
export async function createMcpServer(engine: Engine, options: McpOptions = {}): Promise<Server> {
  const settings = mcpSettings(options)
  checkCollections(engine, settings)
  return serverFor(engine, settings, reporter(internalsOf(engine).onError))
}

/** Refuses names that no collection has. */
export function checkCollections(engine: Engine, { collections = [] }: McpSettings): void {
  const { collections: known } = internalsOf(engine).whole().schema
  for (const [at, name] of collections.entries())
    if (!known.has(name))
      throw fault('INVALID_OPTIONS', `There is no collection ${quote(name)}.`, {
        path: ['collections', at],
        hint: suggestion(name, known.keys()),
      })
}

const everything = { create: true, read: true, update: true, delete: true }

/** Returns the engine of the caller without the collections that the tools do not know. Rules hide them, which all verbs obey. */
function among(engine: Engine, { collections }: McpSettings): Engine {
  if (!collections) return engine
  const core = internalsOf(engine)
  const { access, caller, permissions, expiresAt } = core.scope ?? {}
  const known = new Map<string, unknown>(Object.entries(access?.rules ?? {}))
  const kept = collections.map((name) => [name, permissions ? known.get(name) : everything])
  return core
    .whole()
    .asEngine()
    .as({ ...caller, rules: Object.fromEntries(kept), ...(expiresAt !== undefined && { expiresAt }) })
}

/** Tools walk their input, as JSON does, which a deeper one would break off. */
const deepestInput = 300

const tools = { ...readTools, ...writeTools }

/** Creates a server with options that are checked. Errors that are not the caller's are reported. */
export async function serverFor(
  whole: Engine,
  settings: McpSettings,
  report: (error: unknown) => void,
): Promise<Server> {
  const engine = among(whole, settings)
  const { limits } = internalsOf(engine)
  const { Server: Made, requests } = await protocol()
  const server = new Made({ name: settings.name, version: '1' }, { capabilities: { tools: {} } })
  const offered = () => {
    const may = mayAnywhere(engine)
    return Object.entries(tools).filter(([, tool]) => tool.isOffered(may, settings))
  }
  server.setRequestHandler(requests.ListToolsRequestSchema, () => ({
    tools: offered().map(([name, { description, input, required = [], isReadOnly, isDestructive }]) => ({
      name,
      description,
      inputSchema: { type: 'object' as const, properties: input, required: [...required] },
      annotations: {
        readOnlyHint: isReadOnly,
        ...(isDestructive && { destructiveHint: true }),
        openWorldHint: false,
      },
    })),
  }))
  server.setRequestHandler(requests.CallToolRequestSchema, async ({ params }, { signal }) => {
    const [, tool] = Object.entries(tools).find(([name]) => name === params.name) ?? []
    if (!tool?.isOffered(mayAnywhere(engine), settings))
      throw new requests.McpError(requests.ErrorCode.InvalidParams, 'There is no such tool.')
    try {
      const input = isRecord(params.arguments) ? params.arguments : {}
      const excess = excessOf(input, limits, deepestInput)
      if (excess !== undefined) throw fault('INVALID_PAYLOAD', `The input ${excess}.`)
      return {
        content: [{ type: 'text' as const, text: await tool.run(input, { engine, settings, signal }) }],
      }
    } catch (error) {
      if (!signal.aborted && (!isEngineError(error) || error.status === 500)) report(error)
      const text = JSON.stringify(toErrorBody(shownError(error)))
      return { isError: true, content: [{ type: 'text' as const, text }] }
    }
  })
  return server
}

/** Loads the package of the protocol, which only hosts with agents install. */
export const protocol = (from: () => Promise<Protocol> = load): Promise<Protocol> => from().catch(absent)

/** Refuses what needs the package where it is absent. Bundlers leave such a package out, if they see that its absence is caught. */
export function absent(cause: unknown): never {
  if (isEngineError(cause)) throw cause
  throw fault(
    'INVALID_OPTIONS',
    'Agents need the package "@modelcontextprotocol/sdk", which cannot be loaded.',
    { hint: 'Install it: npm install @modelcontextprotocol/sdk', cause },
  )
}

/** The parts of the package that are used. */
interface Protocol {
  readonly Server: typeof Server
  readonly requests: typeof import('@modelcontextprotocol/sdk/types.js')
}

async function load(): Promise<Protocol> {
  const { Server: Made } = await import('@modelcontextprotocol/sdk/server/index.js').catch(absent)
  return { Server: Made, requests: await import('@modelcontextprotocol/sdk/types.js').catch(absent) }
}
