// Where two answers part: the place and the two values, as text. Undefined when they are the same.
// The order of keys counts. Numbers may differ in the last digits, as sums of fractions do.

export function difference(got: unknown, want: unknown, place = 'answer'): string | undefined {
  if (Array.isArray(got) && Array.isArray(want)) {
    for (const [index, member] of want.entries()) {
      if (index >= got.length) break
      const found = difference(got[index], member, `${place}[${index}]`)
      if (found !== undefined) return found
    }
    return got.length === want.length ? undefined : `${place} has ${got.length} members, not ${want.length}`
  }
  if (isObject(got) && isObject(want)) {
    const [ours, theirs] = [Object.keys(got).join(), Object.keys(want).join()]
    if (ours !== theirs) return `${place} has the keys ${ours}, not ${theirs}`
    for (const [name, member] of Object.entries(want)) {
      const found = difference(got[name], member, `${place}.${name}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  return isSame(got, want) ? undefined : `${place} is ${write(got)}, not ${write(want)}`
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isSame(got: unknown, want: unknown): boolean {
  if (typeof got !== 'number' || typeof want !== 'number') return got === want
  return Math.abs(got - want) <= 1e-12 * Math.max(1, Math.abs(want))
}

const write = (value: unknown): string => JSON.stringify(value) ?? String(value)
