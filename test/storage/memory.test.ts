// What storages hold in memory is counted, and that of all else that lives in the process is gone through each time.
import { describe, expect, it } from 'vitest'
import { fileStorage, memoryStorage, s3Storage } from '../../src/storage.ts'
import { failureOf } from '../../src/testing/storage/storage-case.ts'
import { storageContract } from '../../src/testing.ts'
import { fakeS3 } from './fake-s3.ts'
import { folders } from './folder.ts'

const folder = folders()
const mebibyte = 1024 * 1024
const title = 'a file of 50 MB is written and read without ever being in memory'

describe('memoryStorage', () => {
  for (const { title, run } of storageContract(() => memoryStorage(), { keepsInMemory: true })) it(title, run)
})

const lanes = [
  { lane: 'fileStorage', open: async () => fileStorage({ root: await folder() }) },
  {
    lane: 's3Storage',
    open: async () => s3Storage({ client: fakeS3(await folder(), 'files'), bucket: 'files' }),
  },
  {
    lane: 's3Storage with the smallest parts',
    open: async () =>
      s3Storage({ client: fakeS3(await folder(), 'files'), bucket: 'files', partSize: 5 * mebibyte }),
  },
]
describe.each(lanes)('$lane', ({ open }) => {
  const cases = storageContract(open).filter((one) => one.title === title)
  it('has a case for its memory', () => expect(cases).toHaveLength(1))
  for (const { title, run } of cases) it(title, run)
})

describe('the contract of storages', () => {
  it('finds a storage that has whole files in memory, unless it says so', async () => {
    const [found] = storageContract(memoryStorage).filter((one) => one.title === title)
    // As much garbage as the file has bytes: whether it goes before or meanwhile must not matter.
    expect(Array.from({ length: 800 }, () => new Uint8Array(65_536).length)).toHaveLength(800)
    expect(await failureOf(async () => found?.run())).toBeInstanceOf(Error)
    const titles = storageContract(memoryStorage, { keepsInMemory: true }).map((one) => one.title)
    expect(titles).not.toContain(title)
  })
})
