// createItem and createItems, case by case. More of them is in `test/writes`: keys that are counted up, races, hooks, triggers and faults.
import { breachCases } from '../conformance/writes/breaches.ts'
import { createCases } from '../conformance/writes/creates.ts'
import { describeWrites } from '../conformance/writes/describe-writes.ts'
import { nestedCases } from '../conformance/writes/nested.ts'
import { singletonCases } from '../conformance/writes/singletons.ts'

describeWrites('create', {
  'new items': createCases,
  'items nested in new ones': nestedCases,
  'the only item of a singleton': singletonCases,
  'constraints that the database keeps': breachCases,
})
