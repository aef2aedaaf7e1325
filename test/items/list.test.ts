// listItems, listItemsJson and streamItems, case by case. Filters are in `test/conformance/filters.test.ts`, and what is refused in `test/plan`.
import { describeReads } from '../conformance/reads/describe-reads.ts'
import { fieldCases } from '../conformance/reads/fields.ts'
import { aggregateCases, groupCases } from '../conformance/reads/groups.ts'
import { havingCases } from '../conformance/reads/having.ts'
import { keyCases } from '../conformance/reads/keys.ts'
import { levelCases } from '../conformance/reads/levels.ts'
import { metaCases, orderCases, pageCases, searchCases } from '../conformance/reads/lists.ts'
import { relatedCases } from '../conformance/reads/related.ts'
import { valueCases } from '../conformance/reads/values.ts'

describeReads('list', {
  fields: fieldCases,
  order: orderCases,
  pages: pageCases,
  search: searchCases,
  meta: metaCases,
  aggregates: aggregateCases,
  groups: groupCases,
  'conditions on groups': havingCases,
  'aggregates of related items': relatedCases,
  'levels below': levelCases,
  values: valueCases,
  keys: keyCases,
})
