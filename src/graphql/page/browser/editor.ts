// An editor: a field for text over the same text in colours, so that the browser's own keys, undo and selection work as anywhere.
import type { TextProblem } from '../language/json-problem.ts'
import { element, fill } from './elements.ts'

/** A part of the text with a colour. */
export interface ColouredRange {
  readonly kind: string
  readonly start: number
  readonly end: number
}

/** A part of the text that an error is about. */
export interface Mark extends TextProblem {
  /** True while the user points to the error. */
  readonly isShown?: boolean
}

export interface Editor {
  readonly field: HTMLTextAreaElement
  /** Returns an element at a place of the text, for what is shown there. */
  readonly anchorAt: (at: number) => HTMLElement
  readonly text: () => string
  readonly setText: (text: string) => void
  /** Replaces a range, as typing would: it can be undone. */
  readonly replace: (start: number, end: number, text: string) => void
  readonly mark: (marks: readonly Mark[]) => void
  readonly select: (start: number, end: number) => void
}

export interface EditorOptions {
  readonly label: string
  readonly hint: string
  readonly colours: (text: string) => readonly ColouredRange[]
  readonly onChange: () => void
}

/** More than this is shown in one colour. */
const longest = 200_000

/** Builds an editor in an element. */
export function createEditor(host: HTMLElement, { label, hint, colours, onChange }: EditorOptions): Editor {
  const numbers = element('pre', { class: 'numbers', 'aria-hidden': 'true' })
  const shown = element('pre', { class: 'colours', 'aria-hidden': 'true' })
  const anchor = element('span', { class: 'anchor' })
  const field = element('textarea', {
    id: `${host.id}-text`,
    'aria-label': label,
    'aria-describedby': `${host.id}-problem`,
    placeholder: hint,
    ...{ spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', wrap: 'off' },
  })
  const problem = element('p', { class: 'problem', id: `${host.id}-problem`, role: 'status' })
  const sheet = element('div', { class: 'sheet' }, shown, field, anchor)
  fill(host, element('div', { class: 'editor' }, numbers, sheet), problem)
  let marks: readonly Mark[] = []

  const paint = (): void => {
    const text = field.value
    const ranges = text.length > longest ? [] : colours(text)
    // The last line of a text that ends with a break has no height of its own.
    fill(shown, ...pieces(text, ranges, marks), '\n')
    const lines = text.split('\n').length
    numbers.textContent = Array.from({ length: lines }, (_, index) => index + 1).join('\n')
    fill(
      problem,
      marks
        .map(({ message }) => message)
        .filter(Boolean)
        .join(' '),
    )
    field.toggleAttribute('aria-invalid', marks.length > 0)
  }
  const changed = (): void => {
    marks = []
    paint()
    onChange()
  }
  field.addEventListener('input', changed)
  paint()
  return {
    field,
    anchorAt: (at) => {
      const lines = field.value.slice(0, at).split('\n')
      anchor.style.setProperty('--line-number', String(lines.length - 1))
      anchor.style.setProperty('--column', String(lines.at(-1)?.length ?? 0))
      return anchor
    },
    text: () => field.value,
    setText: (text) => {
      field.value = text
      changed()
    },
    replace: (start, end, text) => {
      field.focus()
      field.setSelectionRange(start, end)
      // Old, but the one way that keeps what can be undone.
      if (text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text))
        return
      field.setRangeText(text, start, end, 'end')
      changed()
    },
    mark: (given) => {
      marks = given
      paint()
    },
    select: (start, end) => {
      field.focus()
      field.setSelectionRange(start, end)
      shown.querySelector('.mark.shown')?.scrollIntoView({ block: 'nearest' })
    },
  }
}

/** The text in pieces, each with its colour and the mark over it. */
function pieces(text: string, ranges: readonly ColouredRange[], marks: readonly Mark[]): readonly Node[] {
  const edges = new Set([0, text.length])
  for (const { start, end } of [...ranges, ...marks]) edges.add(start).add(end)
  const sorted = [...edges].filter((edge) => edge <= text.length).sort((one, other) => one - other)
  let next = 0
  return sorted.slice(0, -1).map((start, index) => {
    const end = sorted[index + 1] ?? start
    while ((ranges[next]?.end ?? text.length) <= start && next < ranges.length) next++
    const range = ranges[next]
    const mark = marks.find((one) => one.start <= start && end <= one.end)
    const kind = range && range.start <= start ? range.kind : ''
    const piece = text.slice(start, end)
    if (!mark && kind === '') return document.createTextNode(piece)
    return element('span', { class: `${kind}${mark ? ` mark${mark.isShown ? ' shown' : ''}` : ''}` }, piece)
  })
}
