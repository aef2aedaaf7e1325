// The selection of a field of a document, apart from variables.
import type { FieldNode } from 'graphql'
import type { SelectionTree } from '../../plan/read/selection-tree.ts'
import type { ExtraLevel } from './extra-level.ts'
import type { Levels } from './selection-levels.ts'
import type { Variables } from './variables.ts'

export interface RootArguments {
  readonly input: Levels
  /** Those of a list, as the parameters of our own queries. */
  readonly level: Levels
}

/** The fields whose parameters levels have. */
export type LevelNodes = ReadonlyMap<string, FieldNode>

/** A selection: its members, and the arguments inside of it. */
export interface DocumentSelection {
  readonly tree: SelectionTree
  /** How many fields it has, at all levels. */
  readonly size: number
  /** Returns the parameters of the levels below, by names that are no response keys: those may begin with an underscore, as parameters do. */
  readonly deepOf: (variables: Variables) => Levels
  /** Fields by the names of their levels, for errors. */
  readonly nodes: LevelNodes
  /** Fields that the host computes. Absent = there are none. */
  readonly extras?: ExtraLevel | undefined
}
