// Puts the fields of the host into the answers of a query, and counts the texts that are returned.
import type { TreeText } from '../../../items/read/read-tree.ts'
import type { BoundLevel } from './extras.ts'
import { type AnswerScope, type ExtrasText, withExtraFields } from './extras-text.ts'

/** Computes the fields of the host in some texts; undefined if there are none. */
export async function withExtras(
  roots: readonly { readonly name: string; readonly extras?: BoundLevel | undefined }[],
  settled: readonly PromiseSettledResult<TreeText>[],
  scope: AnswerScope,
): Promise<readonly (ExtrasText | undefined)[] | undefined> {
  if (!roots.some(({ extras }) => extras)) return undefined
  for (const [index, result] of settled.entries())
    if (!roots[index]?.extras && result.status === 'fulfilled') scope.budget.note(result.value.text)
  return Promise.all(
    roots.map(async ({ name, extras }, index) => {
      const result = settled[index]
      if (!extras || result?.status !== 'fulfilled') return undefined
      return withExtraFields(result.value.text, extras, [name], scope)
    }),
  )
}
