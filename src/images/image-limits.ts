import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'

/** Limits of what a picture may cost. Each can be set for an engine. */
export const defaultAssetLimits = {
  /** Pixels of the longest side that any step makes. */
  outputSide: 6_000,
  /** Pixels that any step makes, of all frames together. */
  outputPixels: 36_000_000,
  /** Pixels of a source, of all frames together. */
  inputPixels: 100_000_000,
  /** Bytes of memory that reading a source takes, where its format is not read line by line. */
  inputMemory: 256_000_000,
  /** Bytes of a source. */
  inputBytes: 100_000_000,
  /** Frames of an animated picture. */
  frames: 256,
  /** Operations in `transforms`. */
  operations: 5,
  /** Milliseconds of work, and of waiting for a slot. */
  timeoutMs: 8_000,
  /** Pictures in work at once. By default one more than there are cores, so that none of them waits while
   *  another is begun. */
  concurrency: undefined,
  /** Pictures that wait for a slot. */
  queue: 25,
  /** Variants kept per file. */
  variantsPerFile: 64,
  /** Bytes kept of all variants together. */
  variantBytes: 10_000_000_000,
} as const

type LimitName = keyof typeof defaultAssetLimits
export type AssetLimits = { readonly [Name in LimitName]: number }

/** The smallest values of limits with which no picture could be made at 0. */
const leasts: Partial<Record<LimitName, number>> = {
  concurrency: 1,
  timeoutMs: 1,
  outputSide: 1,
  outputPixels: 1,
  inputPixels: 1,
  inputMemory: 1,
  inputBytes: 1,
  frames: 1,
  variantsPerFile: 1,
}

/** The longest timeout that the image library takes. */
const anHour = 3_600_000

export function assetLimitsWith(input: Readonly<Record<string, unknown>>, cores: number): AssetLimits {
  for (const [name, value] of Object.entries(input)) if (value !== undefined) checkLimit(name, value)
  const set = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  return { ...defaultAssetLimits, concurrency: cores + 1, ...set }
}

function checkLimit(name: string, value: unknown): void {
  const path = ['assets', 'limits', name]
  if (!isLimit(name)) {
    const hint = suggestion(name, Object.keys(defaultAssetLimits))
    throw fault('INVALID_OPTIONS', `There is no limit ${quote(name)} of assets.`, { path, hint })
  }
  const min = leasts[name] ?? 0
  const max = name === 'timeoutMs' ? anHour : Number.POSITIVE_INFINITY
  const isInteger = Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY
  if (isInteger && Number(value) >= min && Number(value) <= max) return
  const bounds = max === anHour ? `from ${min} to ${max}` : `of ${min} or more`
  const sentence = `The limit "${name}" of assets is a whole number ${bounds}, not ${quote(value)}.`
  throw fault('INVALID_OPTIONS', sentence, { path })
}

const isLimit = (name: string): name is LimitName => Object.hasOwn(defaultAssetLimits, name)
