// How a case of the write verbs is written down.
import type { BulkOptions, EngineOptions, ErrorCode, Path, Schema } from '../../../src/index.ts'

export interface WriteCase {
  readonly title: string
  readonly call: Call
  /** What is answered. */
  readonly expect: unknown
  /** What is different afterwards: by collection and key what was added, the fields that changed, or null for what is gone.
   *  Absent, nothing may be. */
  readonly leaves?: Differences
  /** What is done before. */
  readonly before?: readonly Call[]
  readonly engine?: Pick<EngineOptions<Schema>, 'limits'>
  /** Columns that hold no longer text than they are declared for. */
  readonly needs?: 'lengthsOfColumns'
}

export type Differences = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, unknown>> | null>>>
>

type Data = Readonly<Record<string, unknown>>
type Key = string | number

export type Call =
  | { readonly verb: 'create'; readonly of: string; readonly data: unknown; readonly query?: Data }
  | { readonly verb: 'createAll'; readonly of: string; readonly data: unknown; readonly query?: Data }
  | {
      readonly verb: 'update'
      readonly of: string
      readonly key: Key
      readonly data: unknown
      readonly query?: Data
    }
  | {
      readonly verb: 'updateAll'
      readonly of: string
      readonly keys: unknown
      readonly data: Data
      readonly query?: Data
    }
  | { readonly verb: 'updateEach'; readonly of: string; readonly items: unknown; readonly query?: Data }
  | {
      readonly verb: 'updateFound'
      readonly of: string
      readonly query: Data
      readonly data: Data
      readonly options?: BulkOptions
    }
  | { readonly verb: 'updateSingle'; readonly of: string; readonly data: unknown; readonly query?: Data }
  | { readonly verb: 'delete'; readonly of: string; readonly key: Key }
  | {
      readonly verb: 'deleteAll'
      readonly of: string
      readonly selector: unknown
      readonly query?: Data
      readonly options?: BulkOptions
    }
  | {
      readonly verb: 'deleteFound'
      readonly of: string
      readonly query: Data
      readonly options?: BulkOptions
    }

export const create = (of: string, data: unknown, query?: Data): Call => ({
  verb: 'create',
  of,
  data,
  ...(query && { query }),
})
export const createAll = (of: string, data: unknown, query?: Data): Call => ({
  verb: 'createAll',
  of,
  data,
  ...(query && { query }),
})
export const update = (of: string, key: Key, data: unknown, query?: Data): Call => ({
  verb: 'update',
  of,
  key,
  data,
  ...(query && { query }),
})
export const updateAll = (of: string, keys: unknown, data: Data, query?: Data): Call => ({
  verb: 'updateAll',
  of,
  keys,
  data,
  ...(query && { query }),
})
export const updateEach = (of: string, items: unknown, query?: Data): Call => ({
  verb: 'updateEach',
  of,
  items,
  ...(query && { query }),
})
export const updateFound = (of: string, query: Data, data: Data, options?: BulkOptions): Call => ({
  verb: 'updateFound',
  of,
  query,
  data,
  ...(options && { options }),
})
export const updateSingle = (of: string, data: unknown, query?: Data): Call => ({
  verb: 'updateSingle',
  of,
  data,
  ...(query && { query }),
})
export const remove = (of: string, key: Key): Call => ({ verb: 'delete', of, key })
export const deleteAll = (of: string, selector: unknown, query?: Data, options?: BulkOptions): Call => ({
  verb: 'deleteAll',
  of,
  selector,
  ...(query && { query }),
  ...(options && { options }),
})
export const deleteFound = (of: string, query: Data, options?: BulkOptions): Call => ({
  verb: 'deleteFound',
  of,
  query,
  ...(options && { options }),
})

export interface Refusal {
  readonly code: ErrorCode
  readonly path?: Path
  readonly collection?: string
  readonly field?: string
  /** Which rule was broken. */
  readonly type?: string
}

/** One problem, or several that are told together. */
export const refused = (...problems: readonly Refusal[]) => ({ problems })

/** A value that does not pass a rule of its field. */
export const failed = (type: string, collection: string, field: string, path: Path): Refusal => ({
  code: 'FAILED_VALIDATION',
  path,
  collection,
  field,
  type,
})
