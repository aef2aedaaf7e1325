// Columns whose CHECK lets in the form of results and no other, in the text of their table.
import type { TemporalFamily } from '../../types/families.ts'
import { forms } from './moments.ts'

/** Returns the family of each such column, by its name in small letters. Only a check that is nothing but
 *  `strftime('<form>', <column>) is <column>` counts, because `=` also accepts what is no date. */
export function canonicalColumns(createTable: string): ReadonlyMap<string, TemporalFamily> {
  const tokens = tokensOf(createTable)
  const found = new Map<string, TemporalFamily>()
  for (const at of tokens.keys()) {
    const [word, open, ...inside] = tokens.slice(at, at + 11)
    if (word !== 'check' || open !== '(') continue
    const [call, paren, form, comma, column, end, is, same, close] = inside
    const isCheck = [call, paren, comma, end, is, close].join(' ') === 'strftime ( , ) is )'
    const family = isCheck && column === same ? familyOf.get(form ?? '') : undefined
    if (family && column) found.set(column, family)
  }
  return found
}

const familyOf: ReadonlyMap<string, TemporalFamily> = new Map(
  (Object.keys(forms) as TemporalFamily[]).map((family) => [`'${forms[family]}'`, family]), // the keys of the table
)

/** Words, names without their quotes, and signs; comments are left out. */
function tokensOf(text: string): readonly string[] {
  return [...text.matchAll(token)].flatMap(([whole, string, quoted, bracketed]) => {
    if (string !== undefined) return [string]
    const name = quoted?.slice(1, -1) ?? bracketed?.slice(1, -1)
    if (name !== undefined) return [name.toLowerCase()]
    return isComment.test(whole) ? [] : [whole.toLowerCase()]
  })
}

const token =
  /('(?:[^']|'')*')|("(?:[^"]|"")*"|`(?:[^`]|``)*`)|(\[[^\]]*\])|--.*|\/\*[\s\S]*?\*\/|[\p{L}\p{N}_$]+|[^\s]/gu
const isComment = /^(?:--|\/\*)/
