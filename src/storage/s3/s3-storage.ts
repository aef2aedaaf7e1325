import { anything, checkOptions, optionNames } from '../../errors/check-options.ts'
import { fault, quote } from '../../errors/errors.ts'
import { defineStorage } from '../define-storage.ts'
import { isKey } from '../key.ts'
import type { ByteRange, Storage } from '../storage.ts'
import { isCalled } from '../storage-errors.ts'
import type { ListedObject, S3Client } from './client.ts'
import { upload } from './upload.ts'

/** Options of the bucket storage. */
export interface S3StorageOptions {
  /** An `S3` of `@aws-sdk/client-s3`, or anything with the same methods. */
  readonly client: S3Client
  /** Name of the bucket. */
  readonly bucket: string
  /** The folder of the keys in the bucket. Without it they are at its top. */
  readonly prefix?: string | undefined
  /** The size in bytes of the parts in which files are sent. One write keeps one part in memory. */
  readonly partSize?: number | undefined
}

const mebibyte = 1024 * 1024

const s3StorageOptions = optionNames<S3StorageOptions>({
  client: anything,
  bucket: anything,
  prefix: anything,
  partSize: anything,
})

/** Stores files in a bucket of S3, or of a compatible service.
 *  @example // const client = new S3({ region: 'eu-central-1' }), of @aws-sdk/client-s3
 *  const inBucket = (client: S3Client) => s3Storage({ client, bucket: 'my-files', prefix: 'assets' }) */
export function s3Storage(options: S3StorageOptions): Storage {
  checkOptions(options, s3StorageOptions)
  const { client, bucket, prefix, partSize = 8 * mebibyte } = options
  checkBucket(client, bucket, prefix, partSize)
  const top = prefix === undefined ? '' : `${prefix}/`
  const objectOf = (key: string) => ({ Bucket: bucket, Key: top + key })

  return defineStorage({
    async read(key, range) {
      const object = objectOf(key)
      const input = range ? { ...object, Range: headerOf(range) } : object
      const answer = await unlessMissing(client.getObject(input))
      return answer && (answer.Body?.transformToWebStream() ?? new Blob([]).stream())
    },

    async stat(key) {
      const answer = await unlessMissing(client.headObject(objectOf(key)))
      return answer && statOf({ ...answer, Size: answer.ContentLength })
    },

    write: (key, chunks, options) => upload(client, objectOf(key), chunks, { ...options, partSize }),

    async delete(key) {
      await unlessMissing(client.deleteObject(objectOf(key)))
    },

    async *list(beginning) {
      for await (const object of objectsIn(client, bucket, top + beginning)) {
        const key = object.Key?.slice(top.length) ?? ''
        // Consoles make empty objects that stand for folders, and others may use the bucket too.
        if (isKey(key)) yield { key, ...statOf(object) }
      }
    },
  })
}

function checkBucket(client: unknown, bucket: unknown, prefix: unknown, partSize: unknown): void {
  const object: { readonly getObject?: unknown } = Object(client)
  if (typeof object.getObject !== 'function')
    throw invalid('client', 'is an S3 of @aws-sdk/client-s3, which has the method "getObject"', client)
  if (typeof bucket !== 'string' || bucket === '') throw invalid('bucket', 'is the name of a bucket', bucket)
  if (prefix !== undefined && !(typeof prefix === 'string' && isKey(prefix)))
    throw invalid('prefix', 'is written as a key is, without a slash at its end', prefix)
  if (!Number.isSafeInteger(partSize) || Number(partSize) < smallestPart || Number(partSize) > largestPart)
    throw invalid('partSize', `is a number of bytes from ${smallestPart} to ${largestPart}`, partSize)
}

// The limits of S3.
const smallestPart = 5 * mebibyte
const largestPart = 1024 * mebibyte

const invalid = (name: string, says: string, input: unknown) =>
  fault('INVALID_OPTIONS', `"${name}" ${says}, not ${quote(input)}.`, { path: [name] })

const headerOf = ({ start, end }: ByteRange) => `bytes=${start}-${end ?? ''}`

/** The result of a call, or undefined if there is no such object. */
async function unlessMissing<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    if (isCalled(error, 'NoSuchKey', 'NotFound')) return undefined
    throw error
  }
}

const statOf = ({ Size = 0, LastModified = new Date(0), ETag }: ListedObject) => ({
  size: Size,
  lastModified: LastModified,
  etag: ETag?.replaceAll('"', ''),
})

async function* objectsIn(client: S3Client, bucket: string, prefix: string): AsyncGenerator<ListedObject> {
  let token: string | undefined
  do {
    const input = { Bucket: bucket, Prefix: prefix }
    const { Contents, NextContinuationToken } = await client.listObjectsV2(
      token === undefined ? input : { ...input, ContinuationToken: token },
    )
    yield* Contents ?? []
    token = NextContinuationToken
  } while (token !== undefined)
}
