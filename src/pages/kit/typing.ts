// Text that an editor writes by itself: the indent of a new line, and the other one of two brackets.
import type { Editor } from './editor.ts'

const pairs: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' }
const closing = Object.values(pairs)

/** Helps to write brackets and lines. */
export function helpTyping({ field, replace }: Editor): void {
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    const act = event.key === 'Enter' ? newLine : event.key === 'Backspace' ? eraseBoth : bracket
    if (act({ ...textAround(field), key: event.key, field, replace })) event.preventDefault()
  })
}

interface Typing extends Pick<Editor, 'field' | 'replace'> {
  readonly key: string
  readonly start: number
  readonly end: number
  /** Letters on both sides of the selection. */
  readonly before: string
  readonly after: string
}

const textAround = ({ value, selectionStart: start, selectionEnd: end }: HTMLTextAreaElement) => ({
  ...{ start, end, before: value.charAt(start - 1), after: value.charAt(end) },
})

/** A new line is as deep as the one before, or deeper behind a bracket. */
function newLine({ field, replace, start, end, before, after }: Typing): boolean {
  const line = field.value.slice(field.value.lastIndexOf('\n', start - 1) + 1, start)
  const indent = /^ */.exec(line)?.[0] ?? ''
  const isDeeper = before in pairs
  const isSplit = isDeeper && pairs[before] === after
  const inside = `\n${indent}${isDeeper ? '  ' : ''}`
  replace(start, end, `${inside}${isSplit ? `\n${indent}` : ''}`)
  field.setSelectionRange(start + inside.length, start + inside.length)
  return true
}

function eraseBoth({ replace, start, end, before, after }: Typing): boolean {
  if (start !== end || before === '' || pairs[before] !== after) return false
  replace(start - 1, end + 1, '')
  return true
}

/** An opening bracket brings its other one, and around a selection both; a closing one is not written twice. */
function bracket({ field, replace, start, end, after, key }: Typing): boolean {
  if (start === end && closing.includes(key) && after === key) {
    field.setSelectionRange(end + 1, end + 1)
    return true
  }
  const other = pairs[key]
  if (other === undefined || (start === end && /[\w$@"]/.test(after))) return false
  const selected = field.value.slice(start, end)
  replace(start, end, `${key}${selected}${other}`)
  field.setSelectionRange(start + 1, end + 1)
  return true
}
