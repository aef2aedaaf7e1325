/** A memoized function without arguments: the value is made on the first call, and kept. */
export function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** A memo per object: the value is made on first use, and kept as long as the object lives. */
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
