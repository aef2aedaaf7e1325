import { checkOptions, flag, optionNames } from '../../errors/check-options.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ContractCase } from '../case.ts'
import { atomicityCases } from './atomicity-cases.ts'
import { failureCases } from './failure-cases.ts'
import { fileCases } from './file-cases.ts'
import { keyCases } from './key-cases.ts'
import { listCases } from './list-cases.ts'
import { memoryCases } from './memory-cases.ts'
import { rangeCases } from './range-cases.ts'
import type { StorageCase } from './storage-case.ts'

/** Options of a storage contract: exemptions. */
export interface StorageContractOptions {
  /** True if the storage keeps whole files in memory, so that memory is not tested. */
  readonly keepsInMemory?: boolean
}

const contractOptions = optionNames<StorageContractOptions>({ keepsInMemory: flag })

/** Returns the contract of a storage as test cases. `open` returns an empty storage for each case; closing it is up to you.
 *  @example const cases = storageContract(() => memoryStorage(), { keepsInMemory: true })
 *  // for (const { title, run } of cases) it(title, run) */
export function storageContract(
  open: () => Storage | Promise<Storage>,
  options: StorageContractOptions = {},
): readonly ContractCase[] {
  checkOptions(options, contractOptions)
  const { keepsInMemory = false } = options
  const cases: readonly StorageCase[] = [
    ...fileCases,
    ...rangeCases,
    ...keyCases,
    ...listCases,
    ...atomicityCases,
    ...failureCases,
    ...(keepsInMemory ? [] : memoryCases),
  ]
  return cases.map(({ title, run }) => ({ title, run: async () => run(await open()) }))
}
