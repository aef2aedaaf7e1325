// Values of the service's own tables. Databases keep them in different ways, and drivers may have been at them.
import { flagFrom, parsedJson, textFrom } from '../dialects/read-values.ts'

/** A row of one of the service's own tables. Older ones have fewer columns. */
export type ServiceRow = Readonly<Record<string, unknown>>

const isThere = (value: unknown): value is NonNullable<unknown> => value !== null && value !== undefined

/** Text that is not empty. */
export const textIn = (row: ServiceRow, column: string): string | undefined => {
  const value = row[column]
  return isThere(value) && value !== '' ? textFrom(value) : undefined
}

export const flagIn = (row: ServiceRow, column: string): boolean => {
  const value = row[column]
  return isThere(value) && flagFrom(value)
}

/** Comma text as a list; none where there is none. */
export const listIn = (row: ServiceRow, column: string): readonly string[] => {
  const value = row[column]
  if (!isThere(value)) return []
  const parts: readonly unknown[] = Array.isArray(value) ? value : textFrom(value).split(',')
  return parts.map((part) => String(part).trim()).filter((part) => part !== '')
}

/** JSON, whether or not the driver has parsed it. Text that is no JSON is itself, and so is nothing that was asked for. */
export const jsonIn = (row: ServiceRow, column: string): unknown => {
  const value = row[column]
  return isThere(value) ? parsedJson(value) : undefined
}
