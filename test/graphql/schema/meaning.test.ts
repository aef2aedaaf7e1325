// Each part of a schema says what it stands for, in names alone.
import {
  type GraphQLNamedType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { conditionInputs } from '../../../src/graphql/schema/condition-inputs.ts'
import { functionKind, functionsIn } from '../../../src/graphql/schema/function-kinds.ts'
import { meaningOf } from '../../../src/graphql/schema/meaning.ts'
import { schemaSettings } from '../../../src/graphql/schema/schema-options.ts'
import { valueForm } from '../../../src/graphql/schema/value-scalars.ts'
import { createGraphQLSchema } from '../../../src/graphql.ts'
import { isStored } from '../../../src/schema/model.ts'
import type { FieldType } from '../../../src/types/families.ts'
import { familyRow } from '../../../src/types/families.ts'
import { fieldTypes } from '../../../src/types/field-types.ts'
import { functionsOf } from '../../../src/vocabulary/functions.ts'
import type { AnyOperator } from '../../../src/vocabulary/operator.ts'
import { operators, operatorsOf } from '../../../src/vocabulary/operators.ts'
import { engineOf } from '../engine.ts'

const id = { type: 'integer', key: true } as const

const engine = engineOf({
  articles: {
    fields: {
      id,
      title: { type: 'string' },
      published: { type: 'timestamp', nullable: true },
      meta: { type: 'json', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      blocks: { type: 'm2a', through: 'blocks.article', to: 'item' },
    },
  },
  authors: { fields: { id, articles: { type: 'o2m', from: 'articles.author' } } },
  blocks: {
    fields: {
      id,
      article: { type: 'm2o', to: 'articles' },
      kind: { type: 'string', nullable: true },
      item: { type: 'any', to: ['authors', 'articles'], by: 'kind', nullable: true },
    },
  },
  lines: { key: ['order', 'line'], fields: { order: { type: 'integer' }, line: { type: 'integer' } } },
  site: { singleton: true, fields: { id } },
})
const names = { rename: { articles: 'posts', 'articles.title': 'headline', 'blocks.item': 'content' } }
const schema = createGraphQLSchema(engine, { names })

const at = (place: string) => {
  const [type = '', member] = place.split('.')
  const found = schema.getType(type)
  if (member === undefined) return found && meaningOf(found)
  const fields = isObjectType(found) || isInputObjectType(found) ? found.getFields() : {}
  const field = fields[member]
  return field && meaningOf(field)
}

const membersIn = (type: GraphQLNamedType) =>
  isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : []

describe('the meaning of', () => {
  it.each<[string, unknown]>([
    ['Query.posts', { root: 'list', collection: 'articles' }],
    ['Query.posts_by_id', { root: 'one', collection: 'articles' }],
    ['Query.posts_aggregated', { root: 'aggregate', collection: 'articles' }],
    ['Query.posts_by_version', { root: 'versioned', collection: 'articles' }],
    ['Query.site', { root: 'singleton', collection: 'site' }],
    ['Query.site_by_version', { root: 'versioned', collection: 'site' }],
    ['Mutation.create_posts_items', { root: 'createMany', collection: 'articles' }],
    ['Mutation.create_posts_item', { root: 'createOne', collection: 'articles' }],
    ['Mutation.update_posts_items', { root: 'updateMany', collection: 'articles' }],
    ['Mutation.update_posts_batch', { root: 'updateBatch', collection: 'articles' }],
    ['Mutation.update_posts_item', { root: 'updateOne', collection: 'articles' }],
    ['Mutation.update_site', { root: 'updateSingleton', collection: 'site' }],
    ['Mutation.delete_posts_items', { root: 'deleteMany', collection: 'articles' }],
    ['Mutation.delete_posts_item', { root: 'deleteOne', collection: 'articles' }],
    ['posts', { collection: 'articles' }],
    ['posts.headline', { field: 'title' }],
    ['posts.author', { field: 'author' }],
    ['posts.published_func', { functionsOf: 'published' }],
    ['posts.meta_func', { functionsOf: 'meta' }],
    ['posts_meta_func.json', { function: 'json' }],
    ['datetime_functions.year', { function: 'year' }],
    ['count_functions.count', { function: 'count' }],
    ['blocks.content', { field: 'item' }],
    ['blocks_content_union', { arms: { authors: 'authors', posts: 'articles' } }],
    ['lines.id', { isKey: true }],
    ['version_posts.headline', { field: 'title' }],
    ['posts_aggregated.group', { isGroup: true }],
    ['posts_aggregated.countAll', { isCountAll: true }],
    ['posts_aggregated.countDistinct', { aggregate: 'countDistinct' }],
    ['posts_aggregated_count.headline', { field: 'title' }],
    ['posts_aggregated_extremes.published', { field: 'published' }],
    ['posts_filter', { collection: 'articles' }],
    ['posts_filter.headline', { field: 'title' }],
    ['posts_filter.published_func', { functionsOf: 'published' }],
    ['posts_filter._and', { junction: '_and' }],
    ['posts_quantifier_filter._none', { quantifier: '_none' }],
    ['blocks_filter.content__posts', { field: 'item', arm: 'articles' }],
    ['string_filter_operators._eq', { operator: '_eq' }],
    ['json_filter_operators._json', { operator: '_json' }],
    ['datetime_function_filter_operators.year', { function: 'year' }],
    ['create_posts_input.headline', { field: 'title' }],
    ['update_blocks_input.content', { field: 'item' }],
  ])('%s', (place, meaning) => {
    expect(at(place)).toEqual(meaning)
  })

  it('every member is there, but of deleted keys, and is frozen plain data', () => {
    const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type))
    const members = types.flatMap((type) =>
      membersIn(type).map((member) => ({ place: `${type.name}.${member.name}`, member })),
    )
    const without = members.filter(({ member }) => meaningOf(member) === undefined)
    expect(without.map(({ place }) => place).sort()).toEqual(['delete_many.ids', 'delete_one.id'])
    const meanings = [
      ...members.map(({ member }) => member),
      ...types.filter((type) => isUnionType(type)),
    ].flatMap((part) => meaningOf(part) ?? [])
    expect(meanings.length).toBeGreaterThan(150)
    for (const meaning of meanings) {
      expect(JSON.parse(JSON.stringify(meaning))).toEqual(meaning)
      expect(Object.isFrozen(meaning)).toBe(true)
    }
  })
})

describe('the tables', () => {
  const ofEach = engineOf({
    values: {
      fields: {
        id,
        ...Object.fromEntries(
          (Object.keys(fieldTypes) as FieldType[]).map((type) => [
            type.replace('.', '_'),
            { type, nullable: true, ...(/^o(ther|paque)$/.test(type) && { databaseType: 'inet' }) },
          ]),
        ),
      },
    },
  })
  const fields = [...(ofEach.schema.collections.get('values')?.fields.values() ?? [])].filter(isStored)
  const settings = schemaSettings({}, ofEach.schema)

  it('a value has the operators of its type in filters', () => {
    expect(fields.length).toBeGreaterThan(20)
    for (const field of fields) {
      const { condition, family } = valueForm(field, settings)
      const legal = operatorsOf(family).filter((name) => !(operators[name] as AnyOperator).memoryOnly)
      const offered = Object.keys(conditionInputs[condition].getFields()).filter((name) => name !== '_json')
      const fields = familyRow(family).groups.includes('distinct') ? ['_field'] : []
      expect(offered, field.name).toEqual([...legal, ...fields])
    }
  })

  it('a value has the functions of its type', () => {
    for (const field of fields.filter((field) => field.kind !== 'scalar' || !field.isConcealed)) {
      const kind = functionKind(field)
      expect(kind ? functionsIn(kind) : [], field.name).toEqual(functionsOf(field.value.family))
    }
  })
})
