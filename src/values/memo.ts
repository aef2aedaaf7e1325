/** Makes something when it is asked for the first time, and keeps it. */
export function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** What is kept for an object as long as that is there; made when it is asked for the first time. */
export function memoFor<Key extends object, Kept extends object>(
  all: WeakMap<Key, Kept>,
  key: Key,
  make: () => Kept,
): Kept {
  const known = all.get(key)
  if (known !== undefined) return known
  const made = make()
  all.set(key, made)
  return made
}
