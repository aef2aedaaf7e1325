// Descriptions of the methods of each route.
import type { RouteSubject, subjects } from '../routes.ts'
import type { Describe } from './describe-operation.ts'
import { fileOperations } from './file-operations.ts'
import { itemOperations } from './item-operations.ts'
import { versionOperations } from './version-operations.ts'

/** OpenAPI has no method SEARCH. */
type Operations = {
  readonly [Name in RouteSubject]: {
    readonly [Method in Exclude<keyof (typeof subjects)[Name], 'SEARCH'>]: Describe
  }
}

export const operations: Operations = {
  ...itemOperations,
  ...versionOperations,
  ...fileOperations,
}
