/** Marks a JSON field's definition with the type of its values; exists for the compiler only. */
export interface HeldType<T> {
  // A plain name, because a unique symbol could not be written into the declarations of a host's schema.
  readonly '~holds'?: T
}

/** A JSON field whose values have a known type. Options are spread beside it.
 *  @example const things = defineSchema({
 *    things: {
 *      fields: { id: { type: 'integer', key: true }, meta: { ...json<{ color: string }>(), nullable: true } },
 *    },
 *  }) */
export function json<T>(): { readonly type: 'json' } & HeldType<T> {
  return { type: 'json' }
}
