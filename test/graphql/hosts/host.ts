// Servers of others that execute our schema.
import { readFileSync } from 'node:fs'
import { version } from 'graphql'
import type { Engine } from '../../../src/index.ts'

/** A request to a server. */
export interface Asking {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** An answer as clients get it. */
export interface Told {
  readonly data?: unknown
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions?: Readonly<Record<string, unknown>>
  }[]
}

/** A server that answers each request for the engine of its caller. */
export interface OpenHost {
  ask(engine: Engine, asking: Asking): Promise<Told>
  close(): Promise<void>
}

/** A server, and the package that it comes from. */
export interface Host {
  readonly name: string
  readonly from: string
  readonly open: (whole: Engine) => Promise<OpenHost>
}

const packages = new URL('../../../node_modules/', import.meta.url)

/** True for a host that says to run with the installed version of GraphQL.js. */
export function runsHere({ from }: Host): boolean {
  const { peerDependencies } = JSON.parse(readFileSync(new URL(`${from}/package.json`, packages), 'utf8'))
  const [major = ''] = version.split('.')
  return String(peerDependencies.graphql).includes(`^${major}.`)
}
