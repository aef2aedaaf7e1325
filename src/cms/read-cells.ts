// Cells of the service's own tables, which databases store in different forms, and drivers may have converted.
import { flagFrom, parsedJson, textFrom } from '../dialects/read-values.ts'

/** A row of one of the service's own tables. Older versions have fewer columns. */
export type ServiceRow = Readonly<Record<string, unknown>>

const isThere = (value: unknown): value is NonNullable<unknown> => value !== null && value !== undefined

/** Returns text that is not empty. */
export const textIn = (row: ServiceRow, column: string): string | undefined => {
  const value = row[column]
  return isThere(value) && value !== '' ? textFrom(value) : undefined
}

export const flagIn = (row: ServiceRow, column: string): boolean => {
  const value = row[column]
  return isThere(value) && flagFrom(value)
}

/** Returns comma text as a list, which may be empty. */
export const listIn = (row: ServiceRow, column: string): readonly string[] => {
  const value = row[column]
  if (!isThere(value)) return []
  const parts: readonly unknown[] = Array.isArray(value) ? value : textFrom(value).split(',')
  return parts.map((part) => String(part).trim()).filter((part) => part !== '')
}

/** Returns JSON, whether or not the driver has parsed it. Invalid JSON is returned as text, and undefined for a missing value. */
export const jsonIn = (row: ServiceRow, column: string): unknown => {
  const value = row[column]
  return isThere(value) ? parsedJson(value) : undefined
}
