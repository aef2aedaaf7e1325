// Pending uploads: bytes whose rows do not exist yet, and which a sweep must not delete.
import type { Storage } from '../storage/storage.ts'
import { memoFor } from '../values/memo.ts'

const all = new WeakMap<Storage, Set<string>>()

/** Returns the keys of pending uploads of a storage, in this process. */
export const underWayIn = (storage: Storage): Set<string> => memoFor(all, storage, () => new Set())
