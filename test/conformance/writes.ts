// Every case of the write verbs.
import { breachCases } from './writes/breaches.ts'
import type { WriteCase } from './writes/case.ts'
import { createCases } from './writes/creates.ts'
import { deletionCases } from './writes/deletions.ts'
import { nestedCases } from './writes/nested.ts'
import { singletonCases } from './writes/singletons.ts'
import { updateCases } from './writes/updates.ts'

export const writeCases: readonly WriteCase[] = [
  ...createCases,
  ...updateCases,
  ...nestedCases,
  ...deletionCases,
  ...singletonCases,
  ...breachCases,
]
