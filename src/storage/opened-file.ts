// Files that are opened once, for what is known of them and for their bytes, where a storage can. Any other is asked for one after the other.
import { checkKey } from './key.ts'
import { chunksIn, type OutgoingChunks, translatedChunks } from './outgoing-bytes.ts'
import type { ByteRange, FileStat, Storage } from './storage.ts'
import { translated } from './storage-errors.ts'

/** An open file. It stays open until its chunks are read or cancelled, or it is closed. */
export interface OpenedFile {
  readonly stat: FileStat
  /** Returns the bytes of a range; called once at most. If it fails, the file is closed. */
  readonly chunks: (range?: ByteRange) => Promise<OutgoingChunks>
  /** Closes a file whose bytes are not wanted. */
  readonly close: () => void
}

/** The part of a storage that works without the streams of its interface: making one takes as long as a call to the file system. */
export interface Opener {
  readonly open: (key: string) => Promise<OpenedFile | undefined>
  readonly read: (key: string, range: ByteRange | undefined) => Promise<OutgoingChunks | undefined>
}

const openers = new WeakMap<Storage, Opener>()

export function withOpener(storage: Storage, opener: Opener): Storage {
  openers.set(storage, opener)
  return storage
}

export async function openStored(storage: Storage, key: string): Promise<OpenedFile | undefined> {
  const opener = openers.get(storage)
  if (opener) {
    checkKey(key)
    const opened = await translated(() => opener.open(key))
    return opened && { ...opened, chunks: (range) => translatedOf(() => opened.chunks(range)) }
  }
  const stat = await storage.stat(key)
  return (
    stat && {
      stat,
      chunks: async (range) => chunksIn(await storage.read(key, range)),
      close: () => undefined,
    }
  )
}

/** Returns the bytes of a file, or of a range of it. Throws where there is none, as the storage does. */
export async function readStored(storage: Storage, key: string, range?: ByteRange): Promise<OutgoingChunks> {
  const chunks = await translated(async () => openers.get(storage)?.read(key, range))
  return chunks ? translatedChunks(chunks) : chunksIn(await storage.read(key, range))
}

const translatedOf = async (read: () => Promise<OutgoingChunks>): Promise<OutgoingChunks> =>
  translatedChunks(await translated(read))
