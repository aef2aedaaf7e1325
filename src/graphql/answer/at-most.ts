/** Returns a function that runs so many works at a time, in the order in which they come: whoever waits gets the first place that is free. */
export function atMost(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < most) running++
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await work()
    } finally {
      const start = waiting.shift()
      // The place is handed on, so that nobody who comes later takes it.
      if (start) start()
      else running--
    }
  }
}
