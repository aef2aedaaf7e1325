// What operations share, and what belongs to a collection.
import type { Limits } from '../../query/limits.ts'
import { answerHeaders, draftSchema } from './answers.ts'
import { conditionSchemas } from './conditions.ts'
import type { JsonSchema, OpenApiComponents, OpenApiParameter } from './document.ts'
import { errorSchema, faultHeaders, faultResponses } from './faults.ts'
import { filterSchemas, targetsOf } from './filters.ts'
import { geometrySchemas } from './geometries.ts'
import { givenSchemas } from './given.ts'
import { absentSchema, groupSchema, itemSchema } from './items.ts'
import { componentName, partName, partOf } from './names.ts'
import { choiceSchema, deepSchema, filterParameter, metaSchema, parameterComponents } from './parameters.ts'
import { payloadSchemas, type Sights } from './payloads.ts'
import { shown } from './shown.ts'
import type { Sight } from './sight.ts'

/** `table`: the collection of the versions, which need not be one of the schema. */
export function componentsOf(all: Sights, table: Sight | undefined, limits: Limits): OpenApiComponents {
  const seen = [...all.values(), ...(table ? [table] : [])].flatMap((sight) => sight.seen ?? [])
  const targets = targetsOf(seen)
  return {
    schemas: {
      ...ofNoCollection(limits),
      ...joined(
        seen.map((collection) => ({
          [partName(collection.name)]: itemSchema(collection),
          ...filterSchemas(collection, targets.has(collection.name)),
          [partName(collection.name, 'choice')]: choiceSchema(partOf(collection.name, 'filter'), limits),
        })),
      ),
      ...joined([...all.values()].map((sight) => payloadSchemas(sight, all))),
    },
    responses: faultResponses(),
    parameters: {
      ...parameterComponents(limits),
      ...(table && { id: keyParameter('id', shown(table.whole.key)) }),
      ...joined(
        seen.map(({ name, key }) => ({
          [`${componentName(name)}.filter`]: filterParameter(partOf(name, 'filter')),
          [`${componentName(name)}.key`]: keyParameter('key', shown(key)),
        })),
      ),
    },
    headers: { ...answerHeaders, ...faultHeaders },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  }
}

const ofNoCollection = (limits: Limits): Readonly<Record<string, JsonSchema>> => ({
  _error: errorSchema,
  _meta: metaSchema,
  _group: groupSchema,
  _absent: absentSchema,
  _draft: draftSchema,
  _deep: deepSchema(limits),
  ...geometrySchemas(),
  ...givenSchemas(),
  ...conditionSchemas(),
})

const joined = <Part>(parts: readonly Readonly<Record<string, Part>>[]): Readonly<Record<string, Part>> =>
  Object.fromEntries(parts.flatMap((part) => Object.entries(part)))

const keyParameter = (name: string, schema: JsonSchema): OpenApiParameter => ({
  name,
  in: 'path',
  required: true,
  description: 'The key of the item.',
  schema,
})
