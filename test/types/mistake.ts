/** A mistake in typed code, and all that the compiler remarks about it. */
export interface Mistake {
  readonly title: string
  readonly code: string
  readonly remarks: readonly Remark[]
}

export interface Remark {
  /** The word that is marked. */
  readonly at: string
  /** The message, or parts of it where its words come in no certain order. */
  readonly says: string | readonly string[]
}
