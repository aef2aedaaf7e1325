// OutsideReach of operations: the origins to which the values of a run and the secrets of the host may lead them.
import { fault, type Path, quote } from '../../errors/errors.ts'
import type { CompiledOperation } from '../check/compiled.ts'
import { badOption, badValue } from '../reject.ts'

/** Origins that a run may call for what does not stand in its definition. */
export interface OutsideReach {
  /** Those that its values may name. */
  readonly hosts: ReadonlySet<string>
  /** Those that each secret may be sent to. Undefined for definitions of the host, who says himself where that is. */
  readonly secrets: ReadonlyMap<string, ReadonlySet<string>> | undefined
}

/** Hosts as they are named: by a collection of flows, or for the definitions of the host. */
export interface NamedHosts {
  readonly hosts?: readonly string[]
  readonly secrets?: Readonly<Record<string, readonly string[]>>
}

/** The reach of what may call nothing but what its definition says, and knows no secret. */
const nowhere: OutsideReach = { hosts: new Set(), secrets: new Map() }

/** Returns the reach of the flows of the host, and that of the rows of a collection. */
export function readReach(
  hosts: readonly string[] | undefined,
  collections: ReadonlyMap<string, NamedHosts>,
): (flow: { readonly isRow: boolean; readonly collection?: string | undefined }) => OutsideReach {
  const ofHost: OutsideReach = { hosts: originsOf(hosts), secrets: undefined }
  const ofRows = new Map([...collections].map(([name, named]) => [name, reachOf(named)]))
  return ({ isRow, collection = '' }) => (isRow ? (ofRows.get(collection) ?? nowhere) : ofHost)
}

const reachOf = ({ hosts, secrets = {} }: NamedHosts): OutsideReach => ({
  hosts: originsOf(hosts),
  secrets: new Map(Object.entries(secrets).map(([name, named]) => [name, originsOf(named)])),
})

const originsOf = (hosts: readonly string[] = []): ReadonlySet<string> =>
  new Set(hosts.flatMap((host) => readOrigin(host) ?? []))

/** Reads a host: `api.example.com`, `api.example.com:8443`, or with a scheme where it is not https. */
function readOrigin(host: unknown): string | undefined {
  if (typeof host !== 'string' || host === '') return undefined
  const text = /^https?:\/\//.test(host) ? host : `https://${host}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isOrigin = `${url.origin}/` === url.href && url.port !== '0' && !/[\\\s*]|\/$/.test(host)
  return isOrigin ? url.origin : undefined
}

/** Checks lists of hosts, as options have them. */
export function checkHosts({ hosts, secrets }: NamedHosts): void {
  checkList(hosts, ['hosts'])
  if (secrets === undefined) return
  for (const [name, named] of Object.entries(secrets)) {
    if (!Array.isArray(named))
      throw badOption('A secret stands beside the list of hosts that it may be sent to.', ['secrets', name])
    checkList(named, ['secrets', name])
  }
}

function checkList(hosts: readonly string[] | undefined, path: Path): void {
  for (const [at, host] of (hosts ?? []).entries())
    if (readOrigin(host) === undefined)
      throw badOption(
        `A host is named like "api.example.com", and not ${quote(host)}.`,
        [...path, at],
        'Without a scheme and a port it means https and 443. Paths and wildcards are none of it.',
      )
}

/** Refuses the addresses among the options of an operation that lead elsewhere than they may. */
export function checkReach(
  operation: CompiledOperation,
  options: Readonly<Record<string, unknown>>,
  reach: OutsideReach,
): void {
  for (const [name, { role }] of Object.entries(operation.type.options)) {
    const address = options[name]
    if (role !== 'url' || typeof address !== 'string') continue
    if (!URL.canParse(address)) throw badValue('This is no address.', [name])
    const { origin } = new URL(address)
    if (operation.isHostOpen && !reach.hosts.has(origin)) throw unreachableHost(name)
    if (!mayGetSecrets(operation, reach, origin)) throw unreachableHost(name)
  }
}

export const mayGetSecrets = ({ secrets }: CompiledOperation, reach: OutsideReach, origin: string): boolean =>
  reach.secrets === undefined || [...secrets].every((name) => reach.secrets?.get(name)?.has(origin) === true)

/** The error of an address that a flow does not call. It gives no reason, so that trying addresses reveals nothing. */
export const unreachableHost = (name: string) =>
  fault('FORBIDDEN', 'This address may not be called by a flow.', { path: [name] })
