/** Returns a cached result, or reads it again: concurrent calls share one read (single flight). A failed read is retried by the next
 *  call. */
export function memoizeFor<Found>(maxAgeMs: number, read: () => Promise<Found>): () => Promise<Found> {
  let last: { readonly since: number; readonly found: Promise<Found> } | undefined
  return async () => {
    // The age counts from the beginning of the read.
    const now = performance.now()
    const current = last && now - last.since <= maxAgeMs ? last : { since: now, found: read() }
    last = current
    try {
      return await current.found
    } catch (error) {
      if (last === current) last = undefined
      throw error
    }
  }
}
