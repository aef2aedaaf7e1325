/** Where files are kept. A key means the same to every storage. */
export interface Storage {
  /** The bytes of a file, or of a part of it. Read the stream to its end or cancel it: until then it holds a file or a connection. */
  read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>>
  /** What is known of a file; undefined if there is none. Nothing is opened for it. */
  stat(key: string): Promise<FileStat | undefined>
  /** Puts the whole file there, in place of what was there before, or changes nothing. The body is read to its end or cancelled. */
  write(key: string, body: Body, options?: WriteOptions): Promise<Written>
  /** Sees to it that there is no such file. */
  delete(key: string): Promise<void>
  /** The files whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string): AsyncIterable<StoredFile>
}

/** The first byte and the last one, which is the last of the file where it is absent or beyond that. */
export interface ByteRange {
  readonly start: number
  readonly end?: number | undefined
}

/** The bytes of a file that is written. */
export type Body = ReadableStream<Uint8Array> | Uint8Array | Blob

/** What a write may be told. */
export interface WriteOptions {
  /** Gives up when it is aborted. */
  readonly signal?: AbortSignal | undefined
  /** The content type, for storages that keep it with the file. */
  readonly type?: string | undefined
  /** Whether it has to outlast a loss of power, as it has unless this is false: what can be made again need not. */
  readonly isLasting?: boolean | undefined
}

/** What was written. */
export interface Written {
  /** The number of bytes. */
  readonly size: number
}

/** What is known of a file without opening it. */
export interface FileStat {
  readonly size: number
  readonly lastModified: Date
  /** Another one after every change of the bytes, without quotes. */
  readonly etag?: string | undefined
}

/** A file of a list. */
export interface StoredFile extends FileStat {
  readonly key: string
}
