// Cursors: the place of an item in the order of its list, as a token. It says no more than a filter could: it is not signed.
import { type EngineError, fault, type Path } from '../errors/errors.ts'
import { hasMoreBytes, isSound } from '../values/guards.ts'

export interface CursorPlace {
  /** Stands for the collection, the order and the form of the filter. */
  readonly mark: string
  /** The values of the order keys as the database writes them. Undefined for one that is too long. */
  readonly values: readonly (string | null | undefined)[]
}

/** The maximum number of bytes of a cursor. */
export const longestCursor = 2_048
/** The maximum number of bytes of a value in a cursor. A longer one is read from its row. */
const longestCursorValue = 256

/** Returns the token of a place. `isKey`: the order keys by which its row is found, which are never left out. */
export function cursorOf({ mark, values }: CursorPlace, isKey: readonly boolean[]): string {
  for (const max of [longestCursorValue, 0]) {
    const isKept = (value: string, at: number) => isKey[at] || !hasMoreBytes(max, value)
    const parts = values.map((value, at) =>
      typeof value === 'string' && !isKept(value, at) ? leftOut : (value ?? null),
    )
    const token = Buffer.from(JSON.stringify([mark, ...parts])).toString('base64url')
    if (token.length <= longestCursor) return token
  }
  throw fault('INVALID_QUERY', 'The key of an item of this list is too long for a cursor.', {
    hint: 'Use "offset".',
  })
}

/** Stands for a value that is too long. */
const leftOut = 0

/** The token that was read last: a request reads its own more than once. */
let last: { readonly token: string; readonly place: CursorPlace | undefined } | undefined

export function placeIn(token: string): CursorPlace | undefined {
  if (last?.token !== token) last = { token, place: decoded(token) }
  return last.place
}

function decoded(token: string): CursorPlace | undefined {
  if (token.length > longestCursor || !/^[\w-]+$/.test(token)) return undefined
  const [mark, ...values] = partsOf(Buffer.from(token, 'base64url').toString())
  return typeof mark === 'string' && values.every(isPart)
    ? { mark, values: values.map((value) => (value === leftOut ? undefined : value)) }
    : undefined
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(text)
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

const isPart = (value: unknown): value is string | null | typeof leftOut =>
  value === null || value === leftOut || (typeof value === 'string' && isSound(value))

/** The error for a token that leads nowhere. */
export const staleCursor = (path: Path): EngineError =>
  fault('INVALID_QUERY', `"${path.at(-1)}" is no cursor of this list as it is now; begin anew.`, {
    path,
    hint: 'A cursor is for the same collection, order and form of filter, and for the schema of then.',
  })
