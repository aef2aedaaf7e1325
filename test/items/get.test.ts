// getItem, case by case. What its rules hide is in `test/access`.
import { describeReads } from '../conformance/reads/describe-reads.ts'
import { fieldCases } from '../conformance/reads/fields.ts'
import { aggregateCases } from '../conformance/reads/groups.ts'
import { havingCases } from '../conformance/reads/having.ts'
import { keyCases } from '../conformance/reads/keys.ts'
import { metaCases, singletonCases } from '../conformance/reads/lists.ts'
import { relatedCases } from '../conformance/reads/related.ts'
import { valueCases } from '../conformance/reads/values.ts'

describeReads('get', {
  fields: fieldCases,
  meta: metaCases,
  singletons: singletonCases,
  aggregates: aggregateCases,
  'conditions on groups': havingCases,
  'aggregates of related items': relatedCases,
  values: valueCases,
  keys: keyCases,
})
