import { caseVariants } from '../../values/fold.ts'
import type { JsonPath } from '../../values/json-path.ts'
import type { MatchPosition } from '../phrase-types.ts'

export function likePattern(text: string, place: MatchPosition): string {
  const body = text.replace(/[\\%_]/g, '\\$&')
  return `${place === 'start' ? '' : '%'}${body}${place === 'end' ? '' : '%'}`
}

/** A regular expression that matches a text ignoring case. ILIKE and lower() would depend on the database's
 *  locale; classes of characters do not. */
export function anyCasePattern(text: string, place: MatchPosition): string {
  let body = ''
  for (const character of text) body += anyCase(character)
  return `${place === 'start' ? '^' : ''}${body}${place === 'end' ? '$' : ''}`
}

const anyCase = (character: string) => {
  const variants = caseVariants(character)
  return variants.length > 1 ? `[${variants.join('')}]` : literal(character)
}

const literal = (character: string) => character.replace(/[\\^$.|?*+()[\]{}]/, '\\$&')

/** A path in SQL/JSON. Strict, because the lax mode looks into the elements of arrays on its own. */
export function jsonPathText(path: JsonPath): string {
  return `strict $${path.map((step) => (typeof step === 'number' ? `[${step}]` : `."${step}"`)).join('')}`
}
