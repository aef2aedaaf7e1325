// updateItem, updateItems, updateEach and updateByQuery, case by case. More of them is in `test/writes`: increments, order, hooks and faults.
import { breachCases } from '../conformance/writes/breaches.ts'
import { createCases } from '../conformance/writes/creates.ts'
import { describeWrites } from '../conformance/writes/describe-writes.ts'
import { nestedCases } from '../conformance/writes/nested.ts'
import { singletonCases } from '../conformance/writes/singletons.ts'
import { updateCases } from '../conformance/writes/updates.ts'

describeWrites('update', {
  'items that were just created': createCases,
  'items that exist': updateCases,
  'items nested in them': nestedCases,
  'the only item of a singleton': singletonCases,
  'constraints that the database keeps': breachCases,
})
