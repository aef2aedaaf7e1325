// The table of operations.
import type { OperationTypes } from '../operation-type.ts'
import { itemCreate, itemDelete, itemRead, itemUpdate } from './items.ts'
import { condition, forEach, log, sleep, throwError, transform, trigger } from './logic.ts'
import { request } from './request.ts'

/** The types of operations. Hosts add theirs: `{ ...operationTypes, mine }`.
 *  @example Object.keys(operationTypes).length // → 12 */
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
} as const satisfies OperationTypes

export type BuiltInTypes = typeof operationTypes

/** Types whose operations run no code of the host's. */
export const ownTypes: ReadonlySet<object> = new Set(Object.values(operationTypes))

/** Types that there are only with an option of flows. */
export const neededOptions: Readonly<
  Record<string, { readonly option: 'send' | 'jwt' | 'script'; readonly hint: string }>
> = {}
