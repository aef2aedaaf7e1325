import { afterEach, describe, expect, it } from 'vitest'
import { isEngineError } from '../../src/index.ts'
import { type S3StorageOptions, s3Storage } from '../../src/storage.ts'
import { bytesOf, streamOf } from '../../src/testing/storage/bodies.ts'
import { assertSame, failureOf, keysOf, readWhole } from '../../src/testing/storage/storage-case.ts'
import { contractOf } from './contract-lanes.ts'
import { bytesIn, type FakeS3, failure, fakeS3 } from './fake-s3.ts'
import { folders } from './folder.ts'

const folder = folders()
const mebibyte = 1024 * 1024

const opened: FakeS3[] = []
async function open(options: Partial<S3StorageOptions> = {}) {
  const client = fakeS3(await folder(), 'files')
  opened.push(client)
  return { client, storage: s3Storage({ client, bucket: 'files', ...options }) }
}

// Whatever a test does: nothing is left half-sent, and no stream is left open.
afterEach(async () => {
  for (const { uploads, open } of opened.splice(0)) {
    expect([...uploads.values()].map(({ key }) => key)).toEqual([])
    await expect.poll(() => open.count).toBe(0)
  }
})

const lanes = [
  { lane: 'at the top of a bucket', options: {} },
  {
    lane: 'in a folder of a bucket, with the smallest parts',
    options: { prefix: 'some/where', partSize: 5 * mebibyte },
  },
]
describe.each(lanes.map((lane, at) => ({ ...lane, at })))('s3Storage $lane', ({ at, options }) => {
  for (const { title, run } of contractOf(at, async () => (await open(options)).storage)) it(title, run)
})

describe('s3Storage sends', () => {
  it('what fits in one part as a whole, with its type', async () => {
    const { client, storage } = await open()
    await storage.write('small', streamOf([bytesOf(100)]), { type: 'image/png' })
    expect(client.calls).toEqual(['putObject'])
    expect(client.objects.get('small')?.type).toBe('image/png')
  })

  it('exactly one part as a whole, and one byte more in two parts', async () => {
    const { client, storage } = await open({ partSize: 5 * mebibyte })
    await storage.write('one', bytesOf(5 * mebibyte))
    await storage.write('two', bytesOf(5 * mebibyte + 1), { type: 'image/png' })
    expect(client.calls).toEqual([
      'putObject',
      'createMultipartUpload',
      'uploadPart',
      'uploadPart',
      'completeMultipartUpload',
    ])
    expect(client.objects.get('two')?.type).toBe('image/png')
    assertSame(await bytesIn(client, 'two'), bytesOf(5 * mebibyte + 1), 'two')
  })

  it('nothing to be asked for a stat but a head', async () => {
    const { client, storage } = await open()
    await storage.stat('nothing')
    expect(client.calls).toEqual(['headObject'])
  })
})

it('s3Storage keeps to its folder of the bucket', async () => {
  const { client, storage } = await open({ prefix: 'mine' })
  await storage.write('a/b', bytesOf(10))
  await client.putObject({ Bucket: 'files', Key: 'mine2/c', Body: bytesOf(1) }, {})
  await client.putObject({ Bucket: 'files', Key: 'mine/folder/', Body: bytesOf(0) }, {})
  await client.putObject({ Bucket: 'files', Key: 'mine/not a key', Body: bytesOf(1) }, {})
  expect([...client.objects.keys()]).toContain('mine/a/b')
  expect(await keysOf(storage, '')).toEqual(['a/b'])
})

describe('s3Storage, when a call fails,', () => {
  const long = () => streamOf(Array.from({ length: 12 }, (_, index) => bytesOf(mebibyte, index + 1)))

  it('leaves nothing behind, at whichever call it is, and succeeds afterwards', async () => {
    let failed = 0
    for (let k = 1; ; k += 1) {
      const { client, storage } = await open({ partSize: 5 * mebibyte })
      await storage.write('file', bytesOf(10))
      let count = 0
      client.before = () => {
        count += 1
        if (count === k) throw failure('SlowDown', 503)
      }
      const error = await failureOf(() => storage.write('file', long()))
      if (error === undefined) break
      failed += 1
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extensions: { retryAfter: 1 } })
      expect(client.uploads.size).toBe(0)
      expect(await readWhole(storage, 'file')).toEqual(Buffer.from(bytesOf(10)))
      await storage.write('file', long())
      expect((await storage.stat('file'))?.size).toBe(12 * mebibyte)
    }
    // Begin, three parts, complete.
    expect(failed).toBe(5)
  })

  it('tells the first error, even if the upload cannot be ended', async () => {
    const { client, storage } = await open({ partSize: 5 * mebibyte })
    client.before = (call) => {
      if (call === 'uploadPart') throw failure('AccessDenied', 403)
      if (call === 'abortMultipartUpload') throw failure('SlowDown', 503)
    }
    const error = await failureOf(() => storage.write('file', long()))
    expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', cause: { name: 'AccessDenied' } })
    client.before = () => undefined
    for (const [UploadId, { key }] of client.uploads)
      await client.abortMultipartUpload({ Bucket: 'files', Key: key, UploadId })
  })

  const failures = [
    [failure('SlowDown', 503), 'SERVICE_UNAVAILABLE'],
    [failure('InternalError', 500), 'SERVICE_UNAVAILABLE'],
    [failure('Unheard', 502), 'SERVICE_UNAVAILABLE'],
    [failure('TooManyRequests', 429), 'SERVICE_UNAVAILABLE'],
    [failure('TimeoutError', 0), 'SERVICE_UNAVAILABLE'],
    [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'SERVICE_UNAVAILABLE'],
    [failure('EntityTooLarge', 400), 'CONTENT_TOO_LARGE'],
    [failure('AccessDenied', 403), 'INTERNAL_SERVER_ERROR'],
    [failure('NoSuchBucket', 404), 'INTERNAL_SERVER_ERROR'],
    [failure('constructor', 0), 'INTERNAL_SERVER_ERROR'],
    ['not even an error', 'INTERNAL_SERVER_ERROR'],
  ] as const

  it.each(failures)('says of %s that it is %s, and nothing of the service', async (thrown, code) => {
    const { client, storage } = await open()
    client.before = () => {
      throw thrown
    }
    const calls = [
      () => storage.read('a'),
      () => storage.stat('a'),
      () => storage.write('a', bytesOf(1)),
      () => storage.delete('a'),
      () => keysOf(storage, ''),
    ]
    for (const call of calls) {
      const error = await failureOf(call)
      if (!isEngineError(error)) throw error
      expect(error.code).toBe(code)
      expect(error.cause).toBe(thrown)
      expect(error.message).not.toContain('10.0.0.7')
    }
  })

  it('says so of a stream that breaks off', async () => {
    const { client, storage } = await open()
    const broken = new ReadableStream({ pull: (controller) => controller.error(failure('ECONNRESET', 0)) })
    client.getObject = async () => ({ Body: { transformToWebStream: () => broken } })
    const error = await failureOf(() => readWhole(storage, 'a'))
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})

it.each([
  ['client', { client: {} }],
  ['client', { client: undefined }],
  ['bucket', { bucket: '' }],
  ['prefix', { prefix: 'a/' }],
  ['prefix', { prefix: '../a' }],
  ['prefix', { prefix: '' }],
  ['partSize', { partSize: 1_000 }],
  ['partSize', { partSize: 2 ** 40 }],
  ['partSize', { partSize: 6_000_000.5 }],
])('s3Storage says that %s is not valid in %o', async (name, options) => {
  const all = { client: fakeS3('', 'files'), bucket: 'files', ...options } as S3StorageOptions // but for one
  const error = await failureOf(async () => s3Storage(all))
  expect(error).toMatchObject({ code: 'INVALID_OPTIONS', path: [name] })
})
