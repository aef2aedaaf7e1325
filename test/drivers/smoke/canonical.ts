// A value as text, byte for byte the same where the values are: with types that JSON has not, and with errors as a client sees them.
import { isEngineError, toErrorBody } from '../../../src/index.ts'

export const canonical = (value: unknown): string => JSON.stringify(plain(value))

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return { $bigint: String(value) }
  if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) }
  if (value === undefined) return { $undefined: true }
  if (isEngineError(value)) return { $error: { status: value.status, ...toErrorBody(value).errors[0] } }
  if (value instanceof Error) return { $thrown: value.message }
  if (value instanceof Date) return { $date: value.toISOString() }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}
