declare const holds: unique symbol

/** Marks a JSON field's definition with the type of its values; exists for the compiler only. */
export interface Holding<T> {
  readonly [holds]?: T
}

/** A JSON field whose values have a known type. Options are spread beside it.
 *  @example meta: { ...json<{ color: string }>(), nullable: true } */
export function json<T>(): { readonly type: 'json' } & Holding<T> {
  return { type: 'json' }
}
