// What each method that the routes answer is described by.
import type { Subject, subjects } from '../routes.ts'
import type { Describe } from './describing.ts'
import { fileOperations } from './file-operations.ts'
import { itemOperations } from './item-operations.ts'
import { versionOperations } from './version-operations.ts'

/** SEARCH is no method of OpenAPI. */
type Operations = {
  readonly [Name in Subject]: {
    readonly [Method in Exclude<keyof (typeof subjects)[Name], 'SEARCH'>]: Describe
  }
}

export const operations: Operations = {
  ...itemOperations,
  ...versionOperations,
  ...fileOperations,
}
