import type { OperationTypes } from '../operation-type.ts'
import type { WorldOptions } from '../world/flow-world.ts'
import { itemCreate, itemDelete, itemRead, itemUpdate } from './items.ts'
import { jsonWebToken } from './json-web-token.ts'
import { condition, forEach, log, sleep, throwError, transform, trigger } from './logic.ts'
import { request, script, send } from './outside.ts'

/** The types of operations. Hosts add theirs: `{ ...operationTypes, mine }`.
 *  @example Object.keys(operationTypes).length // → 15 */
export const operationTypes = {
  condition,
  'item-create': itemCreate,
  'item-read': itemRead,
  'item-update': itemUpdate,
  'item-delete': itemDelete,
  transform,
  trigger,
  'for-each': forEach,
  'throw-error': throwError,
  log,
  sleep,
  request,
  send,
  'json-web-token': jsonWebToken,
  script,
} as const satisfies OperationTypes

export type BuiltInTypes = typeof operationTypes

export const ownTypes: ReadonlySet<object> = new Set(Object.values(operationTypes))

/** Types that there are only with an option of flows, and how that is given. */
const neededOptions = {
  send: { option: 'send', hint: 'Give createFlows "send": a function that sends a message.' },
  'json-web-token': {
    option: 'jwt',
    hint: 'Install the package "jose", and give createFlows "jwt": jose.',
  },
  script: {
    option: 'script',
    hint: 'Install the package "quickjs-emscripten", and give createFlows "script": quickScript().',
  },
} as const satisfies Readonly<Record<string, { readonly option: keyof WorldOptions; readonly hint: string }>>

/** Returns the option with which a type of the package is there; undefined if it always is. */
export const neededOptionOf = (name: string) =>
  Object.hasOwn(neededOptions, name)
    ? neededOptions[name as keyof typeof neededOptions] // it is one of them
    : undefined

/** Returns the types that there are with some options. Runs that have others are left to processes that know them. */
export function knownTypes(types: OperationTypes, options: WorldOptions): OperationTypes {
  const isKnown = (name: string): boolean => {
    const needed = neededOptionOf(name)
    return !needed || !ownTypes.has(types[name] ?? {}) || options[needed.option] !== undefined
  }
  return Object.fromEntries(Object.entries(types).filter(([name]) => isKnown(name)))
}
