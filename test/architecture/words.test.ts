// The words of the house: comments and messages say things as the trade says them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../src')

/** Words that make a sentence odd where "the caller", "returns", "is notified" or "reports" would do. */
const odd =
  /\b(nobody|anybody|somebody|whoever|whomever|tells?|told|telling|hears?|heard|hearing|as far as|ha(s|ve) a say)\b|\bof wh(ich|om)\b[^.]*\b(none|nobody)\b|\bthat (are|is) (some|none)\b/gi

/** Sentences in which such a word is the plain one: at most ten. */
const plain: readonly string[] = [
  // The name of an access.
  'Write the name, or give the operation the access "caller" or "nobody".',
  'Without any rights: "nobody".',
  'Without any: "nobody".',
]

/** Comments, strings and templates, in which signs of the others mean nothing. */
const piece = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/** The comments and messages of a file, each on one line. A string without a blank is a name. */
function textsOf(path: string): readonly string[] {
  const texts = readFileSync(join(root, path), 'utf8').match(piece) ?? []
  return texts.filter((text) => text.includes(' ')).map((text) => text.replace(/\s*\n[\s*/]*/g, ' '))
}

it('uses plain words in comments and messages', () => {
  const texts = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .flatMap((path) => textsOf(path).map((text) => ({ path, text })))
  const found = texts.filter(({ text }) => text.match(odd))
  expect(texts.length).toBeGreaterThan(5_000)
  expect(found.filter(({ text }) => !plain.some((one) => text.includes(one)))).toEqual([])
  expect(plain.filter((one) => !texts.some(({ text }) => text.includes(one)))).toEqual([])
  expect(plain.length).toBeLessThanOrEqual(10)
})
