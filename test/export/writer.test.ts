// What formats write of any value, read back.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonWriter, ndjsonWriter } from '../../src/export/formats.ts'
import type { FileWriter } from '../../src/export/writer.ts'
import { xmlWriter } from '../../src/export/xml.ts'
import { yamlWriter } from '../../src/export/yaml.ts'
import { hostileTexts } from './hostile-texts.ts'
import { readings } from './parsers.ts'

const writers = { json: jsonWriter, ndjson: ndjsonWriter, xml: xmlWriter, yaml: yamlWriter }
const formats = (Object.keys(writers) as (keyof typeof writers)[]).map((format) => ({ format }))

function written({ begin, item, end }: FileWriter, items: readonly unknown[]): string {
  return `${begin}${items.map(item).join('')}${end(items.length)}`
}

/** Texts of any UTF-16 units, halves of surrogate pairs too, and the ones that parsers are known to stumble over. */
const text = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  // Words and marks as they stand in prose, where a quote may be left out by mistake.
  fc
    .array(
      fc.constantFrom(
        'no',
        'a',
        'é',
        'true',
        '-',
        ':',
        '#',
        '.',
        '1',
        'e3',
        ',',
        '/',
        '',
        '\t',
        '&',
        '...',
        '|',
      ),
    )
    .map((words) => words.join(' ')),
)
// This one name JavaScript's own objects do not take as a name.
const name = text.filter((one) => one !== '__proto__')
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom(null, true, false, 0, 1e21, -1e-7, 1.5e300, 12_345_678_901_234_567_000),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.array(tie('document'), { maxLength: 4 }),
    fc.dictionary(name, tie('document'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

describe.each(formats)('$format', ({ format }) => {
  const read = (items: readonly unknown[]) => readings[format](written(writers[format](), items))

  it('holds any document as it is', () => {
    const items = fc.array(fc.record({ id: fc.integer(), document, text }), { maxLength: 3 })
    fc.assert(
      fc.property(items, (given) => {
        for (const reading of read(given)) expect(reading).toEqual(given)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(hostileTexts.map((one) => [JSON.stringify(one), one] as const))(
    'holds %s, as a value, a name and an element',
    (_, one) => {
      const items = [{ text: one, inside: { [one]: one }, list: [one, [one]] }]
      for (const reading of read(items)) expect(reading).toEqual(items)
    },
  )

  it('holds lists in lists, and what is empty', () => {
    const items = [{ a: [[], [[]], {}, [{}], '', null] }, { a: { b: [{ c: [{ d: [] }] }], e: {} } }]
    for (const reading of read(items)) expect(reading).toEqual(items)
  })

  it('holds a name of two thousand letters', () => {
    const items = [{ a: { ['n'.repeat(2_000)]: { b: [1] }, ['"'.repeat(2_000)]: 'x' } }]
    for (const reading of read(items)) expect(reading).toEqual(items)
  })

  it('is well-formed without items', () => {
    for (const reading of read([])) expect(reading).toEqual([])
  })
})
