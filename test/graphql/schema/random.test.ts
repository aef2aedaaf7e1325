// Any schema and any rules make a valid schema of GraphQL, and a part of it judges a document as the whole does.
import {
  type GraphQLNamedType,
  GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isUnionType,
  parse,
  buildSchema as readSchema,
  validate,
  validateSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { wordsOf } from '../../../src/graphql/document/read-document.ts'
import { printSchemaText } from '../../../src/graphql/schema/create-graphql-schema.ts'
import { type CallerSchema, schemaFor } from '../../../src/graphql/schema/schema-for.ts'
import { schemaSettings } from '../../../src/graphql/schema/schema-options.ts'
import type { Access, Engine } from '../../../src/index.ts'
import type { SchemaDefinition } from '../../../src/schema/definition.ts'
import { randomSchema } from '../../oracle/random-schema.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { drawsOf } from '../../support/draws.ts'
import { engineOf } from '../engine.ts'

const runs = drawsOf('schemas of GraphQL')

const callerSchema = (engine: Engine): CallerSchema =>
  schemaFor(internalsOf(engine), schemaSettings({}, engine.schema))

function randomAccess(random: Random, definition: SchemaDefinition): Access {
  const grant = (fields: readonly string[]) =>
    random.one<boolean | object>([true, false, { fields: random.some(fields, fields.length) }])
  return {
    rules: Object.fromEntries(
      Object.entries(definition).map(([name, { fields }]) => {
        const names = Object.keys(fields)
        const actions = ['read', 'create', 'update', 'delete'] as const
        return [name, Object.fromEntries(actions.map((action) => [action, grant(names)]))]
      }),
    ),
  }
}

function randomDocument(random: Random, schema: GraphQLSchema): string {
  const select = (type: GraphQLNamedType, depth: number): string => {
    if (isUnionType(type))
      return `{ __typename ${type
        .getTypes()
        .map((arm) => `... on ${arm.name} ${select(arm, depth)}`)
        .join(' ')} }`
    if (!isObjectType(type)) return ''
    const fields = Object.values(type.getFields()).filter(
      (field) =>
        depth > 0 || !(isObjectType(getNamedType(field.type)) || isUnionType(getNamedType(field.type))),
    )
    const chosen = fields.length > 0 ? random.some(fields, 4) : []
    const parts = chosen.map((field) => {
      const args = field.args
        .map(({ name, type: of }) => argument(random, name, getNamedType(of)))
        .filter(Boolean)
      return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''} ${select(getNamedType(field.type), depth - 1)}`
    })
    return `{ __typename ${parts.join(' ')} ${random.chance(0.05) ? 'nope' : ''} }`
  }
  const query = schema.getQueryType()
  const mutation = schema.getMutationType()
  const root = mutation && random.chance(0.4) ? mutation : query
  return `${root === mutation ? 'mutation' : 'query'} ${root ? select(root, 3) : ''}`
}

function argument(random: Random, name: string, type: GraphQLNamedType): string {
  if (isInputObjectType(type)) return `${name}: ${inputValue(random, type, 3)}`
  const values: Readonly<Record<string, string>> = {
    id: '1',
    ids: '[1]',
    version: '"main"',
    path: '"a"',
    limit: random.one(['1', '"x"']),
    sort: '["id"]',
  }
  return values[name] === undefined ? '' : `${name}: ${values[name]}`
}

function inputValue(random: Random, type: GraphQLNamedType, depth: number): string {
  if (!isInputObjectType(type)) return random.one(['1', '"1"', 'true', 'null', '{ a: 1 }'])
  const fields = random.some(Object.values(type.getFields()), depth > 0 ? 3 : 0)
  return `{ ${fields.map((field) => `${field.name}: ${inputValue(random, getNamedType(field.type), depth - 1)}`).join(', ')} }`
}

const isValid = (schema: GraphQLSchema, document: string) => validate(schema, parse(document)).length === 0

describe('schemas of any definition and any rules', () => {
  it('are valid, and their text is read as the same again', () => {
    for (let run = 0; run < runs; run++) {
      const random = new Random(fuzzSeed + run)
      const definition = randomSchema(random, { keys: 'any' })
      const engine = engineOf(definition)
      for (const caller of [engine, engine.as(randomAccess(random, definition))]) {
        const schema = callerSchema(caller).whole()
        const unproven = new GraphQLSchema({ ...schema.toConfig(), assumeValid: false })
        expect(
          validateSchema(unproven).map(({ message }) => message),
          `seed ${fuzzSeed + run}`,
        ).toEqual([])
        const text = printSchemaText(schema)
        expect(printSchemaText(readSchema(text)), `seed ${fuzzSeed + run}`).toBe(text)
      }
    }
  })

  it('have parts that judge a document as the whole does', () => {
    const judged = { valid: 0, invalid: 0 }
    for (let run = 0; run < runs; run++) {
      const random = new Random(fuzzSeed + run)
      const definition = randomSchema(random, { keys: 'any' })
      const engine = engineOf(definition)
      const schema = callerSchema(random.chance(0.5) ? engine : engine.as(randomAccess(random, definition)))
      for (let count = 0; count < 10; count++) {
        const document = randomDocument(random, schema.whole())
        const expected = isValid(schema.whole(), document)
        expect(
          isValid(schema.forWords(wordsOf(parse(document))), document),
          `seed ${fuzzSeed + run}: ${document}`,
        ).toBe(expected)
        judged[expected ? 'valid' : 'invalid']++
      }
    }
    expect(judged.valid).toBeGreaterThan(runs)
    expect(judged.invalid).toBeGreaterThan(runs / 2)
  })

  it('have parts that are made before the whole, and change nothing of it', () => {
    for (let run = 0; run < runs; run++) {
      const random = new Random(fuzzSeed + run)
      const definition = randomSchema(random, { keys: 'any' })
      const access = random.chance(0.5) ? undefined : randomAccess(random, definition)
      const fresh = () => {
        const engine = engineOf(definition)
        return callerSchema(access ? engine.as(access) : engine)
      }
      const whole = fresh().whole()
      const document = randomDocument(random, whole)
      const first = fresh()
      const part = first.forWords(wordsOf(parse(document)))
      expect(isValid(part, document), `seed ${fuzzSeed + run}: ${document}`).toBe(isValid(whole, document))
      expect(first.hasMutations, `seed ${fuzzSeed + run}`).toBe(Boolean(whole.getMutationType()))
      expect(printSchemaText(first.whole()), `seed ${fuzzSeed + run}`).toBe(printSchemaText(whole))
    }
  })

  it('have no more levels in their parts than a document', () => {
    const names = Array.from({ length: 40 }, (_, at) => `c${at}`)
    const fields = (at: number) => ({
      id: { type: 'integer', key: true },
      next: { type: 'm2o', to: names[(at + 1) % names.length] ?? '', nullable: true },
    })
    const engine = engineOf(
      Object.fromEntries(names.map((name, at) => [name, { fields: fields(at) }])) as SchemaDefinition,
    )
    const document = '{ c3(filter: { next: { id: { _eq: 1 } } }) { next { id } } }'
    const part = callerSchema(engine).forWords(wordsOf(parse(document)))
    expect(isValid(part, document)).toBe(true)
    const made = names.filter((name) => part.getType(name) !== undefined)
    expect(made).toEqual(['c3', 'c4', 'c5'])
  })

  it('have whole inputs in the parts of documents with variables', () => {
    const engine = engineOf({
      a: { fields: { id: { type: 'integer', key: true }, b: { type: 'm2o', to: 'b', nullable: true } } },
      b: { fields: { id: { type: 'integer', key: true }, name: { type: 'string', nullable: true } } },
    })
    const part = callerSchema(engine).forWords({
      names: new Set(['f', 'a_filter', 'a', 'filter', 'id']),
      levels: 2,
    })
    const inputs = ['a_filter', 'b_filter'].map((name) => part.getType(name))
    const names = inputs.map((type) => (isInputObjectType(type) ? Object.keys(type.getFields()) : []))
    expect(names).toEqual([
      ['id', 'b', '_and', '_or'],
      ['id', 'name', '_and', '_or'],
    ])
    expect(part.getType('b')).toBeUndefined()
  })
})
