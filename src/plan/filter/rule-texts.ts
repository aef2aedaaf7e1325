// Texts of rules, validations and presets that look like variables and are none. Behind a negation a misspelt variable would let everything
// through, and as a preset it would be stored.

import { type Path, quote } from '../../errors/errors.ts'
import { nearest } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import { readVariable, variables } from '../../vocabulary/variables.ts'

/** Receives the place of a mistake, what it is, and what may be meant. */
type TextReport = (path: Path, sentence: string, hint: string) => void

/** Reports the texts in a value, at any depth, that look like variables or templates and are none. */
export function reportTexts(value: unknown, path: Path, report: TextReport): void {
  if (typeof value === 'string') reportText(value, path, report)
  else if (path.length < deepest && (Array.isArray(value) || isRecord(value)))
    for (const [name, one] of Object.entries(value))
      reportTexts(one, [...path, Array.isArray(value) ? Number(name) : name], report)
}

/** Maximum length of a path. An object that contains itself has no end. */
const deepest = 100

function reportText(text: string, path: Path, report: TextReport): void {
  const variable = readVariable(text)
  if (variable?.name === '$TEXT' && variable.adjustment !== undefined) return
  const literally = `A text of this form is written ${quote(`$TEXT(${text})`)}.`
  if (text.includes('{{'))
    report(path, `${quote(text)} holds "{{", and nothing here fills in templates.`, literally)
  else if (variable?.name === '$TEXT' || (!variable && /^\$[a-z]/i.test(text)))
    report(path, noVariable(text), hintFor(text, literally))
}

const names = Object.keys(variables)

const noVariable = (text: string): string =>
  `There is no variable ${quote(text)}; there are ${names.join(', ')}.`

function hintFor(text: string, literally: string): string {
  const [word = text] = text.split(/[.( ]/)
  const near = nearest(word, names)
  return near === undefined ? literally : `Did you mean "${near}"? ${literally}`
}
