/** Lets everybody go on once so many are there. */
export function barrier(most: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  return () =>
    new Promise((go) => {
      waiting.push(go)
      if (waiting.length === most) for (const one of waiting) one()
    })
}
