// Choice of the operation of the document that is run, if it has several: the one at the cursor, or another one that is chosen.

import type { Editor } from '../../kit/editor.ts'
import { element, fill } from '../../kit/elements.ts'
import { type Definition, definitionsOf } from '../language/definitions.ts'

export interface OperationChoice {
  readonly name: () => string
  readonly update: () => void
}

export function createOperationChoice(list: HTMLSelectElement, { field }: Editor): OperationChoice {
  let operations: readonly Definition[] = []
  const follow = (): void => {
    if (document.activeElement !== field) return
    const at = operations.findIndex(
      ({ start, end }) => start <= field.selectionStart && field.selectionStart <= end,
    )
    if (at >= 0) list.selectedIndex = at
  }
  // The cursor moves by keys, by clicks and by a finger: all of them select.
  document.addEventListener('selectionchange', follow)
  return {
    name: () => (operations.length > 1 ? list.value : ''),
    update: () => {
      operations = definitionsOf(field.value).filter(({ kind }) => kind !== 'fragment')
      const before = list.value
      fill(list, ...operations.map(({ kind, name }) => element('option', { value: name }, `${kind} ${name}`)))
      list.hidden = operations.length < 2
      list.value = before
      if (list.selectedIndex < 0) list.selectedIndex = 0
      follow()
    },
  }
}
