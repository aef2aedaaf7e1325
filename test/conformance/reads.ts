// What is read, case by case: every sentence about fields, order, pages, groups, levels and values has one.
import type { ReadCase } from './reads/case.ts'
import { fieldCases } from './reads/fields.ts'
import { aggregateCases, groupCases } from './reads/groups.ts'
import { havingCases } from './reads/having.ts'
import { keyCases } from './reads/keys.ts'
import { levelCases } from './reads/levels.ts'
import { metaCases, orderCases, pageCases, searchCases, singletonCases } from './reads/lists.ts'
import { relatedCases } from './reads/related.ts'
import { valueCases } from './reads/values.ts'

export const readCases: readonly ReadCase[] = [
  ...fieldCases,
  ...orderCases,
  ...pageCases,
  ...searchCases,
  ...metaCases,
  ...singletonCases,
  ...aggregateCases,
  ...groupCases,
  ...havingCases,
  ...relatedCases,
  ...levelCases,
  ...valueCases,
  ...keyCases,
]
