export interface ExtraOutline {
  readonly name: string
  /** Its type as GraphQL writes it. */
  readonly type: string
  readonly args: readonly (readonly [name: string, type: string])[]
  readonly note: string | undefined
  /** The fields of the schema that it is computed with. */
  readonly needs: readonly string[]
}
