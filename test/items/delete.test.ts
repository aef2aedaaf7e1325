// deleteItem, deleteItems and deleteByQuery, case by case. More of them is in `test/writes`: repeated deletions, items without keys, faults.
import { breachCases } from '../conformance/writes/breaches.ts'
import { deletionCases } from '../conformance/writes/deletions.ts'
import { describeWrites } from '../conformance/writes/describe-writes.ts'
import { singletonCases } from '../conformance/writes/singletons.ts'

describeWrites('delete', {
  'items by their keys, by a selector and by a query': deletionCases,
  'the only item of a singleton': singletonCases,
  'constraints that the database keeps': breachCases,
})
