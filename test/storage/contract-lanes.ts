// The contract of storages, for the lanes of one kind of storage.
import type { Storage } from '../../src/storage.ts'
import { type ContractCase, storageContract } from '../../src/testing.ts'
import { isLong } from '../support/long-runs.ts'

/** Cases of many files or bytes: what they are about is the same in every lane of a storage, so the first one tells. */
const heavy = [
  'a file of 50 MB is written and read without ever being in memory',
  'a list of more than a thousand files is complete',
  'an aborted write leaves nothing behind, tells the reason, and cancels its body',
  'files of all lengths come back whole',
]

/** The cases of the lane that comes at a place. A long run has them all in each. */
export function contractOf(at: number, open: () => Promise<Storage>): readonly ContractCase[] {
  const cases = storageContract(open)
  const light = cases.filter(({ title }) => !heavy.includes(title))
  if (light.length + heavy.length !== cases.length) throw new Error('a heavy case has got another title')
  return at === 0 || isLong ? cases : light
}
