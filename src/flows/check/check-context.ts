import { type Path, quote } from '../../errors/errors.ts'
import type { Hint } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import type { AnyOperationType, OperationTypes } from '../operation-type.ts'
import type { SignatureSchemes } from '../outside/schemes.ts'
import type { CronClass } from '../outside/ticks.ts'
import type { CollectionFlowsOptions } from '../rows/collection-flows.ts'
import type { Retry } from '../run/retry.ts'
import type { Block } from './compiled.ts'

/** Why an engine keeps no runs. */
export type LackOfRuns = 'tables' | 'transactions'

/** The hint of errors about a driver without transactions. */
export const worksWithoutTransactions =
  'Flows before "items.read" and flows.run(…, { inline: true }) work without.'

/** Names that a definition may use. Those that are undefined are not known, and not checked. */
export interface CheckContext {
  readonly types: OperationTypes
  readonly collections?: ReadonlySet<string> | undefined
  readonly secrets?: ReadonlyMap<string, string> | undefined
  /** True if the host knows rights by names. */
  readonly hasAccess?: boolean | undefined
  readonly schemes?: SignatureSchemes | undefined
  /** The class that reads cron; null if the host has given none. */
  readonly cron?: CronClass | null | undefined
  /** Hosts that values may name, in definitions of the host. Undefined: not known. */
  readonly hosts?: readonly string[] | undefined
  /** Why the engine keeps no runs; null if it does. */
  readonly lacksRuns?: LackOfRuns | null | undefined
  /** True for definitions that may be those of rows, whose limits were checked before. */
  readonly hasAuthors?: boolean
  /** True for collections whose rows are flows, of any call of `createFlows`. */
  readonly holdsFlows?: (collection: string) => boolean
  /** The limits of definitions that users edit. */
  readonly limits?: CollectionFlowsOptions | undefined
}

export interface Checking extends CheckContext {
  /** With whose rights the flow works. */
  readonly access: string
  /** False if there is no caller that "caller" could mean. */
  readonly hasCaller: boolean
  readonly retry: Retry
  /** Adds a problem. It has no result, so that what is wrong has none either. */
  readonly add: (path: Path, message: string, hint?: Hint) => undefined
  /** Checks the operations that one holds. */
  readonly checkBlock: (block: WrittenBlock, place: BlockPlace, checking: Checking) => Block
  /** Findings so far: the names of all operations, with those that others hold, and whether one looks at who has started the flow, or
   *  works with their rights. */
  readonly found: {
    readonly names: Set<string>
    operations: number
    namesCaller: boolean
    needsCaller: boolean
  }
}

/** The access words under which a run has the rights of the caller that brings its values, or none: a template may then be more than a value. */
export const buildsOwn: readonly string[] = ['caller', 'author', 'nobody']

/** Access words that give a user-edited flow the rights of its trigger, or full rights: a host that allows them trusts its authors. */
export const trusted: readonly string[] = ['caller', 'full']

export const mostOperations = 200
export const mostNesting = 10

/** The roots of the data chain that may be named somewhere. */
export interface Roots extends Iterable<string> {
  has(name: string): boolean
}

export interface BlockPlace {
  readonly path: Path
  /** The roots that are there when it begins. */
  readonly outer: Roots
  /** The number of blocks around it. */
  readonly depth: number
}

export interface WrittenBlock {
  readonly first: unknown
  readonly operations: unknown
}

export interface WrittenOperation {
  readonly value: unknown
  readonly targets: readonly string[]
}

export interface OperationPlace {
  readonly key: string
  readonly path: Path
  readonly roots: Roots
  readonly depth: number
}

export interface OptionReading extends OperationPlace {
  readonly access: string
  readonly type: AnyOperationType
  readonly secrets: Set<string>
  readonly checking: Checking
}

/** Checks the names of what is written at a place. `says`: what comes before one that is not known. */
export function checkNames(
  written: object,
  known: readonly string[],
  { path, says }: { readonly path: Path; readonly says: string },
  { add }: Pick<Checking, 'add'>,
): void {
  for (const name of Object.keys(written))
    if (!known.includes(name)) add([...path, name], `${says} ${quote(name)}.`, () => suggestion(name, known))
}

export type WrittenTrigger = Readonly<Record<string, unknown>>

export const checkMembers = (trigger: WrittenTrigger, legal: readonly string[], checking: Checking): void =>
  checkNames(trigger, legal, { path: ['trigger'], says: 'This trigger has no' }, checking)

/** Returns a member that has to be one of some words. The first is the default. */
export function checkWord<const Words extends readonly [string, ...string[]]>(
  trigger: WrittenTrigger,
  name: string,
  words: Words,
  { add }: Checking,
): Words[number] {
  const input = trigger[name] ?? words[0]
  const found = words.find((word) => word === input)
  if (found === undefined)
    add(['trigger', name], `"${name}" is ${words.map(quote).join(' or ')}, not ${quote(input)}.`)
  return found ?? words[0]
}

export function checkCollections(
  input: unknown,
  { add, collections: known, limits }: Checking,
): readonly string[] | undefined {
  const path = ['trigger', 'collections']
  if (!Array.isArray(input) || input.length === 0 || !input.every((one) => typeof one === 'string'))
    return add(path, `"collections" is a list of names, not ${quote(input)}.`)
  for (const [at, name] of input.entries()) {
    if (limits && !limits.collections.includes(name))
      add([...path, at], `Flows of this collection cannot be triggered by ${quote(name)}.`, () =>
        suggestion(name, limits.collections),
      )
    else if (known && !known.has(name))
      add([...path, at], `There is no collection ${quote(name)}.`, () => suggestion(name, known))
  }
  return [...new Set<string>(input)]
}
