// One listener on each signal, however many calls share it. Node warns of a leak from eleven on.

const listening = new WeakMap<EventTarget, Set<() => void>>()

function callAll(this: EventTarget): void {
  for (const callback of listening.get(this) ?? []) callback()
}

/** Calls back once when the signal is aborted. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined
  const callbacks = listening.get(signal) ?? new Set()
  if (callbacks.size === 0) {
    listening.set(signal, callbacks)
    signal.addEventListener('abort', callAll)
  }
  // The same function may be passed twice; each registration stops on its own.
  const own = () => callback()
  callbacks.add(own)
  return () => {
    // A signal that is listened to is kept in memory.
    if (callbacks.delete(own) && callbacks.size === 0) signal.removeEventListener('abort', callAll)
  }
}
