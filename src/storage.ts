// The entry `quernel/storage`: storages for the bytes of files.
export { defineStorage, type StorageDriver } from './storage/define-storage.ts'
export { type FileStorageOptions, fileStorage } from './storage/file/file-storage.ts'
export { checkKey } from './storage/key.ts'
export { memoryStorage } from './storage/memory-storage.ts'
export { rangeWithin } from './storage/range.ts'
export type { S3Client } from './storage/s3/client.ts'
export { type S3StorageOptions, s3Storage } from './storage/s3/s3-storage.ts'
export type {
  Body,
  ByteRange,
  FileStat,
  Storage,
  StoredFile,
  WriteOptions,
  Written,
} from './storage/storage.ts'
