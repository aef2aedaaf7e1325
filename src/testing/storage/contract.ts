import { checkOptions, flag, optionNames } from '../../options.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ContractCase } from '../case.ts'
import { atomicityCases } from './atomicity.ts'
import type { StorageCase } from './case.ts'
import { failureCases } from './failures.ts'
import { fileCases } from './files.ts'
import { keyCases } from './keys.ts'
import { listCases } from './lists.ts'
import { memoryCases } from './memory.ts'
import { rangeCases } from './ranges.ts'

/** What a storage is not asked to keep. */
export interface StorageContractOptions {
  /** It holds whole files in memory, so that nobody asks whether it does. */
  readonly keepsInMemory?: boolean
}

const contractOptions = optionNames<StorageContractOptions>({ keepsInMemory: flag })

/** What every storage has to keep. `open` gives an empty one to each case; closing them is up to you.
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
