// Bytes that are coming, or have come, and whose rows are not there yet: nobody may take them for forgotten.
import type { Storage } from '../storage/storage.ts'
import { memoFor } from '../values/memo.ts'

const all = new WeakMap<Storage, Set<string>>()

/** The keys of a storage that are under way in this process. */
export const underWayIn = (storage: Storage): Set<string> => memoFor(all, storage, () => new Set())
