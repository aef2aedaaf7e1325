import { caseVariants } from '../../values/fold.ts'
import type { JsonPath } from '../../values/json-path.ts'
import { codeOf } from '../error-codes.ts'
import type { MatchPosition } from '../phrase-types.ts'
import type { DriverFault } from '../transaction-phrases.ts'

/** A LIKE pattern that matches a text literally. */
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

/** The meaning of an error of a match under a collation that is not deterministic, where the statement itself matches and no function of the
 *  host's. A cast to another collation would do, but no index serves it, and only the server knows which columns need one. */
export function faultOfLooseText(error: unknown): DriverFault | undefined {
  if (codeOf(error) !== '0A000') return undefined
  const all: object = Object(error)
  const isOfMatch = matching.test(String(Reflect.get(all, 'routine'))) && !Reflect.get(all, 'where')
  return isOfMatch ? looseText : undefined
}

/** The functions of the server that refuse such a match. The second and the fifth were met in version 15; another that is not here is an internal
 *  error as before. */
const matching =
  /^(?:GenericMatchText|Generic_Text_IC_like|like_fixed_prefix|match_pattern_prefix|pg_set_regex_collation|text_position_setup)$/

const looseText: DriverFault = {
  code: 'INVALID_QUERY',
  says: 'A text has a collation that takes different texts for equal, in which the database looks for no part: compare it with "_eq", "_in" or in order.',
}
