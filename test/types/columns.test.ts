// What else a type says of its columns: which defaults of a database it takes, and how its values stand in forms and lists.
import { describe, expect, it } from 'vitest'
import { defineSchema } from '../../src/index.ts'
import { isStored } from '../../src/schema/model.ts'
import { outputSchema } from '../../src/schema/output-schema.ts'
import { valueTypeOf } from '../../src/schema/stored-fields.ts'
import { type FieldType, familyRow } from '../../src/types/families.ts'
import { shownElements } from '../../src/types/field-types.ts'

const rowOf = (type: FieldType) => familyRow(valueTypeOf({ type }).family)

describe('a default of the database', () => {
  it.each<[FieldType, string | number | boolean, unknown]>([
    ['boolean', true, true],
    ['boolean', false, false],
    ['boolean', 1, true],
    ['boolean', 0, false],
    ['boolean', 2, undefined],
    ['boolean', 'true', undefined],
    ['integer', 7, 7],
    ['integer', 1.5, undefined],
    ['integer', '7', undefined],
    ['integer', true, undefined],
    ['float', 1.5, 1.5],
    ['float', Number.POSITIVE_INFINITY, undefined],
    ['float', '1.5', undefined],
    ['string', 'draft', 'draft'],
    ['string', 7, undefined],
    ['string', false, undefined],
  ])('of a column of type %s that is %j is known to be %j', (type, constant, known) => {
    expect(rowOf(type).constant?.(constant)).toBe(known)
  })

  it('is left to the database where the text of SQL is not the value', () => {
    const left: readonly FieldType[] = ['timestamp', 'dateTime', 'date', 'time', 'json', 'uuid', 'decimal']
    expect(left.filter((type) => rowOf(type).constant)).toEqual([])
  })
})

describe('what a payload may have', () => {
  it.each<[string, Parameters<typeof valueTypeOf>[0], string]>([
    ['whole numbers', { type: 'integer' }, 'integer'],
    ['whole numbers of more than 32 bits', { type: 'integer', wide: true }, 'wideInteger'],
    ['whole numbers of 64 bits', { type: 'bigInteger' }, 'bigInteger'],
    ['bytes', { type: 'binary' }, 'binary'],
    ['bytes in hexadecimal digits', { type: 'binary', encoding: 'hex' }, 'hexBinary'],
  ])('of %s is described by a schema of their own', (_, field, name) => {
    const type = valueTypeOf(field)
    const { inputSchemaOf, inputSchemas } = familyRow(type.family)
    expect(inputSchemaOf?.(type)).toBe(name)
    expect(inputSchemas).toHaveProperty(name)
  })
})

describe('a text of a form', () => {
  it.each<[FieldType, string, unknown]>([
    ['boolean', 'true', true],
    ['boolean', 'yes', 'yes'],
    ['json', '{"a":[1]}', { a: [1] }],
    ['json', 'a', 'a'],
    ['csv', 'a, b,,c ', ['a', 'b', 'c']],
    ['csv', '', []],
    ['csv', ' ["a","b c"]', ['a', 'b c']],
    ['csv', '[a,b', ['[a', 'b']],
  ])('in a field of type %s that is %j means %j', (type, text, meant) => {
    expect(rowOf(type).form?.read(text)).toEqual(meant)
  })
})

describe('a list of values', () => {
  const { collections } = defineSchema({
    lists: {
      fields: {
        id: { type: 'integer', key: true },
        integers: { type: 'integer', array: true },
        bigIntegers: { type: 'bigInteger', array: true },
        decimals: { type: 'decimal', scale: 2, array: true },
        texts: { type: 'string', array: true },
        lists: { type: 'csv', array: true },
        flags: { type: 'boolean', array: true },
      },
    },
  })
  const fieldNamed = (name: string) => {
    const field = collections.get('lists')?.fields.get(name)
    if (!field || !isStored(field)) throw new Error(`no ${name}`)
    return field
  }

  it.each<[string, unknown, readonly unknown[], readonly unknown[]]>([
    ['integers', { type: ['integer', 'null'] }, [1n, null], [1, null]],
    // The database writes them into JSON, as numbers or as texts.
    [
      'bigIntegers',
      { anyOf: [{ type: ['string', 'number'] }, { type: 'null' }] },
      [1n, undefined],
      ['1', null],
    ],
    ['decimals', { anyOf: [{ type: ['string', 'number'] }, { type: 'null' }] }, [], []],
    ['texts', { type: ['string', 'null'] }, ['a', null], ['a', null]],
    ['lists', {}, ['a,b'], ['a,b']],
    ['flags', { type: ['boolean', 'null'] }, [true], [true]],
  ])('of %s is described, and shown, element by element', (name, element, stored, shown) => {
    const field = fieldNamed(name)
    expect(outputSchema(field)).toEqual({ type: 'array', items: element })
    expect(shownElements(stored, field.value)).toEqual(shown)
  })
})
