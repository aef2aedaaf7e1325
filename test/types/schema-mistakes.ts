import type { Mistake, Remark } from './mistake.ts'

const inSchema = (title: string, code: string, ...remarks: Remark[]): Mistake => ({
  title,
  code: `import { defineSchema } from '../../src/schema/define-schema.ts'\n${code}`,
  remarks,
})

const id = `id: { type: 'integer', key: true }`

/** One collection `a` with a key and the given fields, and what else there is. */
const withFields = (fields: string, others = '') =>
  `defineSchema({ a: { fields: { ${id}, ${fields} } }, ${others} })`

const misfit = (at: string, given: string, sentence: string): Remark => ({
  at,
  says: `Type '${given}' is not assignable to type '${given} & Mistake<"${sentence}">'.`,
})

export const schemaMistakes: readonly Mistake[] = [
  inSchema(
    'a many-to-one field that points nowhere',
    withFields(`b: { type: 'm2o', to: 'authrs' }`),
    misfit('to', '"authrs"', "collection 'authrs' is not defined"),
  ),
  inSchema(
    'a one-to-many field without a dot',
    withFields(`bs: { type: 'o2m', from: 'b' }`, `b: { fields: { ${id} } }`),
    misfit('from', '"b"', "'b' is not of the form collection.field"),
  ),
  inSchema(
    'a one-to-many field from an unknown collection',
    withFields(`bs: { type: 'o2m', from: 'b.a' }`),
    misfit('from', '"b.a"', "collection 'b' is not defined"),
  ),
  inSchema(
    'a one-to-many field from an unknown field',
    withFields(`bs: { type: 'o2m', from: 'b.a' }`, `b: { fields: { ${id} } }`),
    misfit('from', '"b.a"', "collection 'b' has no field 'a'"),
  ),
  inSchema(
    'a one-to-many field from a field that points elsewhere',
    withFields(`bs: { type: 'o2m', from: 'b.a' }`, `b: { fields: { ${id}, a: { type: 'm2o', to: 'b' } } }`),
    misfit('from', '"b.a"', "field 'b.a' is not an m2o to 'a'"),
  ),
  inSchema(
    'an order of related items by a field they lack',
    withFields(`b: { type: 'm2o', to: 'a' }, bs: { type: 'o2m', from: 'a.b', sort: 'order' }`),
    misfit('sort', '"order"', "collection 'a' has no field 'order'"),
  ),
  inSchema(
    'a many-to-many field through an unknown junction',
    withFields(`bs: { type: 'm2m', through: 'a_b.a', to: 'b' }`),
    misfit('through', '"a_b.a"', "collection 'a_b' is not defined"),
  ),
  inSchema(
    'a many-to-many field to a field the junction lacks',
    withFields(
      `bs: { type: 'm2m', through: 'a_b.a', to: 'b' }`,
      `a_b: { fields: { ${id}, a: { type: 'm2o', to: 'a' } } }`,
    ),
    misfit('to', '"b"', "collection 'a_b' has no field 'b'"),
  ),
  inSchema(
    'a many-to-many field to a field that points nowhere',
    withFields(
      `bs: { type: 'm2m', through: 'a_b.a', to: 'id' }`,
      `a_b: { fields: { ${id}, a: { type: 'm2o', to: 'a' } } }`,
    ),
    misfit('to', '"id"', "field 'a_b.id' is not of type 'm2o'"),
  ),
  inSchema(
    'a many-to-any field to a field of one collection',
    withFields(
      `bs: { type: 'm2a', through: 'a_b.a', to: 'b' }`,
      `a_b: { fields: { ${id}, a: { type: 'm2o', to: 'a' }, b: { type: 'm2o', to: 'a' } } }`,
    ),
    misfit('to', '"b"', "field 'a_b.b' is not of type 'any'"),
  ),
  inSchema(
    'a reference to any of several, one of them unknown',
    withFields(`by: { type: 'string' }, item: { type: 'any', to: ['a', 'block'], by: 'by' }`),
    misfit("'block'", '"block"', "collection 'block' is not defined"),
  ),
  inSchema(
    'a reference to any, with a number for the name of the collection',
    withFields(`by: { type: 'integer' }, item: { type: 'any', to: ['a'], by: 'by' }`),
    misfit('by', '"by"', "field 'a.by' is not a string field"),
  ),
  inSchema(
    'a sort field that is not there',
    `defineSchema({ a: { sortField: 'order', fields: { ${id} } } })`,
    misfit('sortField', '"order"', "collection 'a' has no field 'order'"),
  ),
  inSchema(
    'a sort field without a column',
    `defineSchema({ a: { sortField: 'as', fields: { ${id}, a: { type: 'm2o', to: 'a' }, as: { type: 'o2m', from: 'a.a' } } } })`,
    misfit('sortField', '"as"', "field 'a.as' is not a stored field"),
  ),
  inSchema(
    'a collection with two keys',
    `defineSchema({ a: { fields: { slug: { type: 'string', key: true }, ${id} } } })`,
    misfit('key', 'true', "'id' is a key of 'a' too; write key: [...] beside fields"),
    misfit('key', 'true', "'slug' is a key of 'a' too; write key: [...] beside fields"),
  ),
  inSchema(
    'a key that may be null',
    `defineSchema({ a: { fields: { id: { type: 'uuid', key: true, nullable: true } } } })`,
    misfit('nullable', 'true', 'a key cannot be nullable'),
  ),
  inSchema(
    'keys that lead in a circle',
    `defineSchema({ a: { fields: { id: { type: 'm2o', to: 'a', key: true } } } })`,
    misfit('to', '"a"', "the key of 'a' leads back to itself"),
  ),
  inSchema(
    'a default that is not among the values',
    withFields(`status: { type: 'string', values: ['draft', 'published'], default: 'drafft' }`),
    misfit('default', '"drafft"', "default 'drafft' is not among the values"),
  ),
  inSchema(
    'a validation of a field that is not there',
    withFields(`title: { type: 'string', validation: { titel: { _nempty: true } } }`),
    {
      at: 'titel',
      says: `Type '…' is not assignable to type '… & Mistake<"collection 'a' has no field 'titel'">'.`,
    },
  ),
  inSchema(
    'an option of another kind of field',
    withFields(`b: { type: 'm2o', to: 'a', from: 'a.b' }`),
    misfit('from', '"a.b"', "there is no option 'from'"),
  ),
  inSchema(
    'an unknown option of a field',
    withFields(`title: { type: 'string', nulable: true }`),
    misfit('nulable', 'true', "there is no option 'nulable'"),
  ),
  inSchema(
    'an unknown option of a collection',
    `defineSchema({ a: { versiond: true, fields: { ${id} } } })`,
    misfit('versiond', 'true', "there is no option 'versiond'"),
  ),
]
