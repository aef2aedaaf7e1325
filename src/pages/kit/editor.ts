// An editor: a field for text over the same text in colours, so that the browser's own keys, undo and selection work as anywhere.
import { type ColouredRange, colouredText, type Mark } from './coloured-text.ts'
import { element, fill } from './elements.ts'

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

interface EditorOptions {
  readonly label: string
  readonly hint: string
  readonly colours: (text: string) => readonly ColouredRange[]
  readonly onChange: () => void
}

/** More than this is shown in one colour. */
const longest = 200_000

export function createEditor(host: HTMLElement, { label, hint, colours, onChange }: EditorOptions): Editor {
  const parts = buildEditor(host, label, hint)
  const { field } = parts
  let marks: readonly Mark[] = []

  const paint = (): void => {
    paintText(parts, field.value.length > longest ? [] : colours(field.value), marks)
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
    anchorAt: (at) => moveAnchor(parts, at),
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
      parts.shown.querySelector('.mark.shown')?.scrollIntoView({ block: 'nearest' })
    },
  }
}

interface EditorParts {
  readonly field: HTMLTextAreaElement
  readonly numbers: HTMLElement
  readonly shown: HTMLElement
  readonly anchor: HTMLElement
  readonly problem: HTMLElement
}

function buildEditor(host: HTMLElement, label: string, hint: string): EditorParts {
  const parts = {
    numbers: element('pre', { class: 'numbers', 'aria-hidden': 'true' }),
    shown: element('pre', { class: 'colours', 'aria-hidden': 'true' }),
    anchor: element('span', { class: 'anchor' }),
    field: element('textarea', {
      id: `${host.id}-text`,
      'aria-label': label,
      'aria-describedby': `${host.id}-problem`,
      placeholder: hint,
      ...{ spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', wrap: 'off' },
    }),
    problem: element('p', { class: 'problem', id: `${host.id}-problem`, role: 'status' }),
  }
  const sheet = element('div', { class: 'sheet' }, parts.shown, parts.field, parts.anchor)
  fill(host, element('div', { class: 'editor' }, parts.numbers, sheet), parts.problem)
  return parts
}

function paintText(
  { field, shown, numbers, problem }: EditorParts,
  ranges: readonly ColouredRange[],
  marks: readonly Mark[],
): void {
  const text = field.value
  // The last line of a text that ends with a break has no height of its own.
  fill(shown, ...colouredText(text, ranges, marks), '\n')
  const lines = text.split('\n').length
  numbers.textContent = Array.from({ length: lines }, (_, index) => index + 1).join('\n')
  problem.textContent = marks
    .map(({ message }) => message)
    .join(' ')
    .trim()
  field.setAttribute('aria-invalid', String(marks.length > 0))
}

function moveAnchor({ field, anchor }: EditorParts, at: number): HTMLElement {
  const lines = field.value.slice(0, at).split('\n')
  anchor.style.setProperty('--line-number', String(lines.length - 1))
  anchor.style.setProperty('--column', String(lines.at(-1)?.length ?? 0))
  return anchor
}
