import { describe, it } from 'vitest'
import { memoryStorage } from '../../src/storage.ts'
import { storageContract } from '../../src/testing.ts'

describe('memoryStorage', () => {
  for (const { title, run } of storageContract(() => memoryStorage(), { keepsInMemory: true })) it(title, run)
})
