// The entry `quernel/testing`: contracts of your own implementations, as tests for any runner.
export type { ContractCase } from './testing/case.ts'
export {
  type SourceContractOptions,
  sourceContract,
  type TestedSource,
} from './testing/source/contract.ts'
export { type StorageContractOptions, storageContract } from './testing/storage/contract.ts'
