/** Answers what was read lately, or reads it again: many who ask at once share one reading. What fails is tried again by the next. */
export function memoizeFor<Found>(maxAgeMs: number, read: () => Promise<Found>): () => Promise<Found> {
  let last: { readonly since: number; readonly found: Promise<Found> } | undefined
  return async () => {
    // It is as old as the moment at which reading it began.
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
