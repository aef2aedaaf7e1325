// Words that fit at the cursor: while the user writes, and by Ctrl and Space.

import type { Editor } from '../../kit/editor.ts'
import type { Completion } from '../language/complete.ts'
import { createWordList } from './word-list.ts'

const nothing: Completion = { start: 0, end: 0, suggestions: [] }

export function suggestIn(editor: Editor, complete: (text: string, cursor: number) => Completion): void {
  const { field } = editor
  let completion = nothing
  const open = (isWanted: boolean): void => {
    completion = complete(field.value, field.selectionStart)
    const { suggestions, start, end } = completion
    const isWritten = suggestions.length === 1 && suggestions[0]?.text === field.value.slice(start, end)
    if (suggestions.length === 0 || (isWritten && !isWanted)) list.close()
    else list.open(suggestions, editor.anchorAt(start))
  }
  const accept = (): void => {
    const { text, tail = '' } = list.chosen() ?? { text: '' }
    const { start, end } = completion
    const isFollowed =
      tail !== '' &&
      field.value
        .slice(end)
        .trimStart()
        .startsWith(tail.trim() || '\0')
    editor.replace(start, end, isFollowed ? text : text + tail)
    list.close()
    // Behind a colon follow the values.
    if (tail === ': ') open(true)
  }
  /** A word that is there already is not written again: the key does what it does elsewhere. */
  const isThere = (): boolean => field.value.slice(completion.start, completion.end) === list.chosen()?.text
  const list = createWordList(field, accept)
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => list.move(1),
    ArrowUp: () => list.move(-1),
    Enter: accept,
    Tab: accept,
    Escape: list.close,
  }
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    const isWanted = event.key === ' ' && event.ctrlKey
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey
    const act = isWanted ? () => open(true) : list.isOpen() && isPlain ? keys[event.key] : undefined
    if (!act || (event.key === 'Enter' && isThere())) {
      if (event.key === 'Enter') list.close()
      return
    }
    event.preventDefault()
    event.stopImmediatePropagation()
    act()
  })
  field.addEventListener('input', (event) => {
    if (continuesWord(event) || (list.isOpen() && erases(event))) open(false)
    else list.close()
  })
  for (const name of ['blur', 'click'] as const) field.addEventListener(name, list.close)
  field.addEventListener('keyup', ({ key }) => {
    if (/^(ArrowLeft|ArrowRight|Home|End|Page.*)$/.test(key)) list.close()
  })
}

const continuesWord = (event: Event): boolean =>
  event instanceof InputEvent && event.inputType === 'insertText' && /[\w$@."]$/.test(event.data ?? '')

const erases = (event: Event): boolean => event instanceof InputEvent && event.inputType.startsWith('delete')
