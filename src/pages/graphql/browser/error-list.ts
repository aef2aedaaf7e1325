// The errors of an answer. Whoever points to one sees its place in the document.

import type { Mark } from '../../kit/coloured-text.ts'
import type { Editor } from '../../kit/editor.ts'
import { button, element, fill } from '../../kit/elements.ts'
import { type ListedError, rangesOf } from '../language/answer-errors.ts'

/** Shows errors in an element, and marks their places in the document that was sent. */
export function showErrors(host: HTMLElement, errors: readonly ListedError[], editor: Editor): void {
  const sent = editor.text()
  const ranges = errors.map((error) => rangesOf(sent, error))
  // Places of another document would be wrong.
  const mark = (shown: number | undefined): readonly Mark[] => {
    const marks = ranges.flatMap((all, index) =>
      all.map((range) => ({ ...range, message: '', isShown: index === shown })),
    )
    if (editor.text() === sent)
      editor.mark([...marks].sort((one, other) => Number(other.isShown) - Number(one.isShown)))
    return marks.filter(({ isShown }) => isShown)
  }
  const item = (error: ListedError, index: number): HTMLElement => {
    const go = () => {
      const [first] = mark(index)
      if (first && editor.text() === sent) editor.select(first.start, first.start)
    }
    const created = button('', { class: 'failure' }, go)
    fill(created, ...partsOf(error))
    for (const name of ['mouseenter', 'focus'] as const) created.addEventListener(name, () => mark(index))
    for (const name of ['mouseleave', 'blur'] as const) created.addEventListener(name, () => mark(undefined))
    return element('li', {}, created)
  }
  host.hidden = errors.length === 0
  fill(host, ...errors.map(item))
  if (errors.length > 0) mark(undefined)
}

function partsOf({ message, code, hint, path, lines }: ListedError): readonly Node[] {
  const places = lines.map(({ line, column }) => `${line}:${column}`).join(', ')
  const facts = [places, path, code].filter((fact) => fact !== '').join(' · ')
  return [
    element('span', { class: 'message' }, message),
    ...(hint === '' ? [] : [element('span', { class: 'hint' }, hint)]),
    element('span', { class: 'facts' }, facts),
  ]
}
