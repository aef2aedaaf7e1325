// One listener on each signal, however many calls share it. Node warns of a leak from eleven on.

interface Listening {
  readonly callbacks: Set<() => void>
  readonly stop: () => void
}

const listening = new WeakMap<AbortSignal, Listening>()

/** Calls back once when the signal is aborted. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return nothing
  const known = listening.get(signal) ?? listen(signal)
  // The same function may be passed twice; each registration stops on its own.
  const own = () => callback()
  known.callbacks.add(own)
  return () => {
    if (known.callbacks.delete(own) && known.callbacks.size === 0) known.stop()
  }
}

function listen(signal: AbortSignal): Listening {
  const callbacks = new Set<() => void>()
  const tell = () => {
    stop()
    for (const callback of callbacks) callback()
  }
  const stop = () => {
    signal.removeEventListener('abort', tell)
    if (listening.get(signal) === made) listening.delete(signal)
  }
  const made: Listening = { callbacks, stop }
  signal.addEventListener('abort', tell)
  listening.set(signal, made)
  return made
}

const nothing = () => undefined
