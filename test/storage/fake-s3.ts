// A bucket in a folder, behind the calls of the client of S3: objects and parts are files, and the rules are those of the service.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3Client } from '../../src/storage.ts'

interface StoredObject {
  readonly path: string
  readonly size: number
  readonly etag: string
  readonly modified: Date
  readonly type: string | undefined
}

interface Upload {
  readonly key: string
  readonly type: string | undefined
  readonly parts: Map<number, { readonly path: string; readonly etag: string }>
}

export interface FakeS3 extends S3Client {
  readonly objects: ReadonlyMap<string, StoredObject>
  /** Those that have been begun, and neither completed nor aborted. */
  readonly uploads: ReadonlyMap<string, Upload>
  /** Streams of objects that nobody has read to their end or cancelled. */
  readonly open: { count: number }
  /** The names of the calls so far. */
  readonly calls: string[]
  /** Called before each call; throws where the call is to fail. */
  before: (call: string) => void
}

const smallestPart = 5 * 1024 * 1024
const pageLength = 1_000

export function fakeS3(folder: string, bucket: string): FakeS3 {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, Upload>()
  const open = { count: 0 }
  const calls: string[] = []

  const enter = (call: string, { Bucket }: { Bucket: string }, signal?: AbortSignal) => {
    calls.push(call)
    fake.before(call)
    if (Bucket !== bucket) throw failure('NoSuchBucket', 404)
    if (signal?.aborted) throw failure('AbortError', 0)
  }
  const find = (key: string, name: string) => {
    const found = objects.get(key)
    if (!found) throw failure(name, 404)
    return found
  }
  const findUpload = (id: string) => {
    const found = uploads.get(id)
    if (!found) throw failure('NoSuchUpload', 404)
    return found
  }

  const fake: FakeS3 = {
    objects,
    uploads,
    open,
    calls,
    before: () => undefined,

    async getObject(input) {
      enter('getObject', input)
      const { path, size } = find(input.Key, 'NoSuchKey')
      const [start, end] = bounds(input.Range, size)
      const stream = size === 0 ? Readable.from([]) : createReadStream(path, { start, end })
      open.count += 1
      stream.once('close', () => {
        open.count -= 1
      })
      const toWeb = () => Readable.toWeb(stream) as ReadableStream // of @types/node, for the same class
      return { Body: { transformToWebStream: toWeb }, ContentLength: end - start + 1 }
    },

    async headObject(input) {
      enter('headObject', input)
      const { size, modified, etag } = find(input.Key, 'NotFound')
      return { ContentLength: size, LastModified: modified, ETag: etag }
    },

    async putObject(input, { abortSignal } = {}) {
      enter('putObject', input, abortSignal)
      const path = join(folder, randomUUID())
      await writeFile(path, input.Body)
      if (abortSignal?.aborted) throw failure('AbortError', 0)
      const etag = `"${md5(input.Body)}"`
      objects.set(input.Key, {
        path,
        size: input.Body.length,
        etag,
        modified: second(),
        type: input.ContentType,
      })
      return { ETag: etag }
    },

    async deleteObject(input) {
      enter('deleteObject', input)
      objects.delete(input.Key)
      return {}
    },

    async listObjectsV2(input) {
      enter('listObjectsV2', input)
      const keys = [...objects.keys()].filter((key) => key.startsWith(input.Prefix)).sort()
      const from = input.ContinuationToken === undefined ? 0 : keys.findIndex((key) => key > after(input))
      const page = from < 0 ? [] : keys.slice(from, from + pageLength)
      const last = page.at(-1)
      const isMore = last !== undefined && keys.at(-1) !== last
      return {
        Contents: page.map((Key) => {
          const { size, modified, etag } = find(Key, 'NoSuchKey')
          return { Key, Size: size, LastModified: modified, ETag: etag }
        }),
        ...(isMore && { NextContinuationToken: `after:${last}` }),
      }
    },

    async createMultipartUpload(input, { abortSignal } = {}) {
      enter('createMultipartUpload', input, abortSignal)
      const id = randomUUID()
      uploads.set(id, { key: input.Key, type: input.ContentType, parts: new Map() })
      return { UploadId: id }
    },

    async uploadPart(input, { abortSignal } = {}) {
      enter('uploadPart', input, abortSignal)
      const { parts } = findUpload(input.UploadId)
      if (input.PartNumber < 1 || input.PartNumber > 10_000) throw failure('InvalidArgument', 400)
      const path = join(folder, randomUUID())
      await writeFile(path, input.Body)
      const etag = `"${md5(input.Body)}"`
      parts.set(input.PartNumber, { path, etag })
      return { ETag: etag, ChecksumCRC32: `crc of ${etag}` }
    },

    async completeMultipartUpload(input, { abortSignal } = {}) {
      enter('completeMultipartUpload', input, abortSignal)
      const { key, type, parts } = findUpload(input.UploadId)
      const named = input.MultipartUpload.Parts
      const paths: string[] = []
      for (const [index, { PartNumber, ETag, ChecksumCRC32 }] of named.entries()) {
        const part = parts.get(PartNumber)
        if (!part || part.etag !== ETag || ChecksumCRC32 !== `crc of ${ETag}`)
          throw failure('InvalidPart', 400)
        if (PartNumber <= (named[index - 1]?.PartNumber ?? 0)) throw failure('InvalidPartOrder', 400)
        const { size } = await stat(part.path)
        if (size < smallestPart && index < named.length - 1) throw failure('EntityTooSmall', 400)
        paths.push(part.path)
      }
      if (paths.length === 0) throw failure('MalformedXML', 400)
      const path = join(folder, randomUUID())
      for (const from of paths) {
        await pipeline(createReadStream(from), createWriteStream(path, { flags: 'a' }))
      }
      const { size } = await stat(path)
      const etag = `"${md5(Buffer.from(named.map(({ ETag }) => ETag).join()))}-${paths.length}"`
      uploads.delete(input.UploadId)
      objects.set(key, { path, size, etag, modified: second(), type })
      return { ETag: etag }
    },

    async abortMultipartUpload(input) {
      enter('abortMultipartUpload', input)
      const { parts } = findUpload(input.UploadId)
      for (const { path } of parts.values()) await rm(path)
      uploads.delete(input.UploadId)
      return {}
    },
  }
  return fake
}

/** The bytes of an object, past the client. */
export async function bytesIn(fake: FakeS3, key: string): Promise<Uint8Array> {
  return readFile(fake.objects.get(key)?.path ?? '')
}

const after = ({ ContinuationToken = '' }) => ContinuationToken.slice('after:'.length)

/** S3 does not know fractions of a second. */
const second = () => new Date(Math.floor(Date.now() / 1_000) * 1_000)

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

function bounds(range: string | undefined, size: number): readonly [start: number, end: number] {
  if (range === undefined) return [0, size - 1]
  const [, start = '', end = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
  if (start === '' || Number(start) >= size) throw failure('InvalidRange', 416)
  return [Number(start), end === '' ? size - 1 : Math.min(Number(end), size - 1)]
}

export function failure(name: string, status: number): Error {
  return Object.assign(new Error(`${name} in bucket of 10.0.0.7`), {
    name,
    $metadata: { httpStatusCode: status },
  })
}
