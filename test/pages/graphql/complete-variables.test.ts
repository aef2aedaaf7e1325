// What the page suggests at the cursor of the variables, which is the bar.
import { expect, it } from 'vitest'
import { completeVariables } from '../../../src/pages/graphql/language/complete-variables.ts'
import { knownSchema, withCursor } from './known-schema.ts'

const schema = knownSchema()
const document =
  'query A($filter: tags_filter, $kinds: [kinds!]!, $on: Boolean!, $n: Int) { tags { id } } query B($extra: ID) { tags { id } }'

function completed(marked: string) {
  const { document: json, cursor } = withCursor(marked)
  return { json, ...completeVariables(json, cursor, { document, schema }) }
}

it.each([
  ['{|}', ['"filter"', '"kinds"', '"on"', '"n"', '"extra"']],
  ['{ "n": 1, | }', ['"filter"', '"kinds"', '"on"', '"extra"']],
  ['{ "f|', ['"filter"']],
  ['{ "n|" }', ['"n"', '"kinds"', '"on"']],
  ['{ fil| }', ['"filter"']],
  ['{ "filter": { | } }', ['"name"', '"hot"', '"colour"', '"_and"']],
  ['{ "filter": { "hot": true, | } }', ['"name"', '"colour"', '"_and"']],
  ['{ "filter": { "_and": [{ "name": {} }, { "name": { | ', ['"_eq"', '"_in"']],
  ['{ "filter": { "colour": | } }', ['"WARM"', '"COLD"', '"GONE"', 'null']],
  ['{ "kinds": ["WARM", "c|"] }', ['"COLD"']],
  ['{ "kinds": [|', ['"WARM"', '"COLD"', '"GONE"']],
  ['{ "on": | }', ['true', 'false']],
  ['{ "on": t| }', ['true']],
  ['{ "filter": {}, |', ['"kinds"', '"on"', '"n"', '"extra"']],
  ['{ "n": | }', ['null']],
  ['{ "n": 1| }', []],
  ['{ "gone": { | } }', []],
  ['{ "n": "{ |', []],
  ['|', []],
  ['{} |', []],
])('in variables at the cursor of %s there are %j', (marked, wanted) => {
  expect(completed(marked).suggestions.map(({ text }) => text)).toEqual(wanted)
})

it('a suggestion for variables replaces the word that has been begun, and not the rest of its line', () => {
  const replaced = (marked: string) => {
    const { json, start, end } = completed(marked)
    return json.slice(start, end)
  }
  expect(replaced('{"fi|}')).toBe('"fi')
  expect(replaced('{"fi|lter": 1}')).toBe('"filter"')
  expect(replaced('{ fi| }')).toBe('fi')
  expect(replaced('{ | }')).toBe('')
})

it('a suggestion for variables has its colon, its type and what it means', () => {
  expect(completed('{ "fil| }').suggestions).toEqual([
    { text: '"filter"', tail: ': ', detail: 'tags_filter' },
  ])
  expect(completed('{ "kinds": ["g|"] }').suggestions).toEqual([
    { text: '"GONE"', name: 'GONE', detail: 'kinds', description: 'Gone.', isDeprecated: true },
  ])
})
