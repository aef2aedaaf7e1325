// One listener on each signal, however many calls share it. Node warns of a leak from eleven on.

const listening = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls back once when the signal is aborted. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined
  const callbacks = listening.get(signal) ?? new Set()
  if (!listening.has(signal)) {
    listening.set(signal, callbacks)
    signal.addEventListener('abort', () => {
      for (const one of callbacks) one()
    })
  }
  // The same function may be passed twice; each registration stops on its own.
  const own = () => callback()
  callbacks.add(own)
  return () => callbacks.delete(own)
}
