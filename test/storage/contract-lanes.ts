// The contract of storages, for the lanes of one kind of storage.
import type { Storage } from '../../src/storage.ts'
import { type ContractCase, storageContract } from '../../src/testing.ts'
import { isLong } from '../support/long-runs.ts'

/** What counts bytes wants a process of its own, and has it in `memory.test.ts`. */
const counting = 'a file of 50 MB is written and read without ever being in memory'
/** Cases of many files or bytes: what they are about is the same in every lane of a storage, so the first one tells. */
const heavy = [
  'a list of more than a thousand files is complete',
  'an aborted write leaves nothing behind, throws the reason, and cancels its body',
  'files of all lengths come back whole',
]

/** The cases of the lane that comes at a place. A long run has them all in each; `countsAt` is where bytes are counted otherwise. */
export function contractOf(
  at: number,
  open: () => Promise<Storage>,
  { countsAt }: { readonly countsAt?: number } = {},
): readonly ContractCase[] {
  const every = storageContract(open)
  const cases = every.filter(({ title }) => title !== counting || isLong || at === countsAt)
  const light = cases.filter(({ title }) => !heavy.includes(title))
  for (const known of [counting, ...heavy])
    if (!every.some(({ title }) => title === known)) throw new Error(`no case is called "${known}"`)
  return at === 0 || isLong ? cases : light
}
