/** The methods used of the class `S3` of `@aws-sdk/client-s3`, version 3. The host makes it, with its region,
 *  credentials and timeouts. */
export interface S3Client {
  getObject(input: ObjectInput & { Range?: string }): Promise<{
    Body?: { transformToWebStream(): ReadableStream } | undefined
  }>
  headObject(input: ObjectInput): Promise<{
    ContentLength?: number | undefined
    LastModified?: Date | undefined
    ETag?: string | undefined
  }>
  putObject(input: ObjectInput & Content & { Body: Uint8Array }, options: CallOptions): Promise<unknown>
  deleteObject(input: ObjectInput): Promise<unknown>
  listObjectsV2(input: { Bucket: string; Prefix: string; ContinuationToken?: string }): Promise<{
    Contents?: readonly ListedObject[] | undefined
    NextContinuationToken?: string | undefined
  }>
  createMultipartUpload(
    input: ObjectInput & Content,
    options: CallOptions,
  ): Promise<{ UploadId?: string | undefined }>
  uploadPart(
    input: UploadInput & { PartNumber: number; Body: Uint8Array },
    options: CallOptions,
  ): Promise<SentPart>
  completeMultipartUpload(
    input: UploadInput & { MultipartUpload: { Parts: NumberedPart[] } },
    options: CallOptions,
  ): Promise<unknown>
  abortMultipartUpload(input: UploadInput): Promise<unknown>
}

export interface ObjectInput {
  Bucket: string
  Key: string
}

export interface UploadInput extends ObjectInput {
  UploadId: string
}

interface Content {
  ContentType?: string
}

export interface CallOptions {
  abortSignal?: AbortSignal
}

export interface ListedObject {
  Key?: string | undefined
  Size?: number | undefined
  LastModified?: Date | undefined
  ETag?: string | undefined
}

/** The identifiers of a sent part. Some services want back the checksum that they returned. */
export interface SentPart {
  ETag?: string | undefined
  ChecksumCRC32?: string | undefined
  ChecksumCRC32C?: string | undefined
  ChecksumCRC64NVME?: string | undefined
  ChecksumSHA1?: string | undefined
  ChecksumSHA256?: string | undefined
}

export interface NumberedPart extends SentPart {
  PartNumber: number
}
