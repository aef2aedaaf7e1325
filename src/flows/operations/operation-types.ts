// The table of operations.
import type { OperationTypes } from '../operation-type.ts'
import { itemCreate, itemDelete, itemRead, itemUpdate } from './items.ts'
import { condition, forEach, log, sleep, throwError, transform, trigger } from './logic.ts'

/** The types of operations. Hosts add theirs: `{ ...operationTypes, mine }`.
 *  @example Object.keys(operationTypes).length // → 11 */
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
} as const satisfies OperationTypes

export type BuiltInTypes = typeof operationTypes

/** Types that come with a later version: a definition that has one is told so. */
export const laterTypes: readonly string[] = ['request', 'send', 'json-web-token', 'script']
/** Triggers of flows whose runs have to be kept. */
