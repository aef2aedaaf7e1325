// Extra fields of a selection, by the levels that hold them.
import type { FieldNode } from 'graphql'
import type { Variables } from './variables.ts'

export interface SelectedExtra {
  readonly kind: 'extra'
  readonly name: string
  readonly node: FieldNode
  readonly collection: string
  readonly field: string
  readonly args: (variables: Variables) => Readonly<Record<string, unknown>>
}

/** A level of a selection: members with extra fields in them, by their names. */
export interface ExtraLevel {
  readonly kind: 'level'
  readonly members: Map<string, SelectedExtra | ExtraLevel>
}
