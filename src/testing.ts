// The entry `quernel/testing`: what an implementation of yours has to keep, as tests for any runner.
export type { ContractCase } from './testing/case.ts'
export { type StorageContractOptions, storageContract } from './testing/storage/contract.ts'
