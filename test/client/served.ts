// An engine behind a server of Node, and the client of it.
import { createServer } from 'node:http'
import { type Client, type ClientOptions, connect } from '../../src/client.ts'
import { createHandler, type HandlerOptions, toNode } from '../../src/http.ts'
import type { Access, Engine, Schema } from '../../src/index.ts'
import { portOf } from '../support/listening.ts'

export interface Served {
  /** Serves another engine, or the same otherwise. */
  readonly serve: (engine: Engine, options?: Partial<HandlerOptions<Schema>>) => void
  readonly url: string
  readonly api: Client
  readonly client: (options?: ClientOptions) => Client
  /** What was requested, since it was last read. */
  readonly requests: () => readonly string[]
}

/** @example const { api, serve } = await served(engine) */
export async function served(
  engine: Engine,
  options: Partial<HandlerOptions<Schema>> = {},
  access: Access = { admin: true },
): Promise<Served> {
  const listenerOf = (one: Engine, more: Partial<HandlerOptions<Schema>>) =>
    toNode(createHandler(one, { authenticate: () => access, prefix: '/api', ...more }))
  let listener = listenerOf(engine, options)
  let requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    void listener(request, response)
  })
  const url = `http://127.0.0.1:${await portOf(server)}/api`
  const client = (more: ClientOptions = {}) => connect(url, more)
  return {
    url,
    client,
    api: client(),
    serve: (one, more = options) => {
      listener = listenerOf(one, more)
    },
    requests: () => {
      const seen = requests
      requests = []
      return seen
    },
  }
}
