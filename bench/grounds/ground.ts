// A table that is written to, and everybody who writes to it.
import type { Writer } from '../written.ts'

export interface Ground {
  readonly writers: readonly Writer[]
  /** What W9u, W9q and W10 find beside the rows that they write. */
  readonly prepare: () => Promise<unknown>
  /** The rows that W9q changes and W10 deletes, and the one that W10d does. */
  readonly fill: () => Promise<unknown>
  readonly fillOne: () => Promise<unknown>
  /** Leaves nothing to do that calls before have left. */
  readonly settle: () => Promise<unknown>
  readonly clear: () => Promise<unknown>
  /** The numbers in the first column of an answer. */
  readonly numbers: (statement: string) => Promise<readonly number[]>
  readonly close: () => Promise<void>
}

/** A table alone, with rules on its own columns; one whose rows belong to authors, of whom members may write; and one with hooks and
 *  validations, whose engines come last: code that has met more kinds of engines is slower for all of them. */
export const groundKinds = ['alone', 'related', 'watched'] as const
export type GroundKind = (typeof groundKinds)[number]

/** A peer from the package of the bench. It is loaded by name, so that types can be checked before it is installed. */
export async function installedWriter(name: string, ...place: readonly unknown[]): Promise<Writer> {
  const module: { readonly openWriter: (...place: readonly unknown[]) => Writer | Promise<Writer> } =
    await import(new URL(`../peers/${name}.ts`, import.meta.url).href)
  return module.openWriter(...place)
}
