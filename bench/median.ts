/** The median time of one call in milliseconds, after a warm-up. */
export function medianOf(call: () => unknown, runs: number): number {
  for (let run = 0; run < Math.min(runs, 200); run++) call()
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    call()
    times.push(performance.now() - start)
  }
  return median(times)
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
