/** A file storage. A key means the same to every storage. */
export interface Storage {
  /** Reads the bytes of a file, or of a part of it. Read the stream to its end or cancel it: until then it
   *  keeps a file or a connection open. */
  read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>>
  /** Returns the metadata of a file without opening it; undefined if there is none. */
  stat(key: string): Promise<FileStat | undefined>
  /** Writes the whole file in place of the previous one, or changes nothing. The body is read to its end or cancelled. */
  write(key: string, body: Body, options?: WriteOptions): Promise<Written>
  /** Deletes a file, if there is one. */
  delete(key: string): Promise<void>
  /** Lists the files whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string): AsyncIterable<StoredFile>
}

/** A range of bytes, from the first to the last one, which is the last of the file where it is absent or beyond it. */
export interface ByteRange {
  readonly start: number
  readonly end?: number | undefined
}

/** The content to write. */
export type Body = ReadableStream<Uint8Array> | Uint8Array | Blob

/** Options of a write. */
export interface WriteOptions {
  /** Aborts the write. */
  readonly signal?: AbortSignal | undefined
  /** The content type, for storages that keep it with the file. */
  readonly type?: string | undefined
  /** True if the file has to survive a loss of power, which is the default; false for what can be made again. */
  readonly isLasting?: boolean | undefined
}

/** The result of a write. */
export interface Written {
  /** The number of bytes. */
  readonly size: number
}

/** Metadata of a file. */
export interface FileStat {
  readonly size: number
  readonly lastModified: Date
  /** A tag that changes with the bytes, without quotes. */
  readonly etag?: string | undefined
}

/** A listed file. */
export interface StoredFile extends FileStat {
  readonly key: string
}
