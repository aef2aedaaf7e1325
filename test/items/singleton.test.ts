// getSingleton and updateSingleton, case by case. Defaults of every type are in `singleton-defaults.test.ts`.
import { describeReads } from '../conformance/reads/describe-reads.ts'
import { singletonCases as readCases } from '../conformance/reads/lists.ts'
import { describeWrites } from '../conformance/writes/describe-writes.ts'
import { singletonCases } from '../conformance/writes/singletons.ts'

describeReads('singleton', { 'what is read': readCases })
describeWrites('singleton', { 'what is updated': singletonCases })
