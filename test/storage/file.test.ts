import { describe, it } from 'vitest'
import { fileStorage } from '../../src/storage.ts'
import { storageContract } from '../../src/testing.ts'
import { folders } from './folder.ts'

const folder = folders()

describe('fileStorage', () => {
  const open = async () => fileStorage({ root: await folder() })
  for (const { title, run } of storageContract(open)) it(title, run)
})
