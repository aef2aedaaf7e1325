// Components that operations share, and those of each collection.

import type { VisibleActions } from '../../access/visible-actions.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Limits } from '../../query/limits.ts'
import { keyOf } from '../../schema/model.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import type { Images } from '../../variants/images.ts'
import { componentName, partName, partOf } from './component-names.ts'
import type { OpenApiComponents, OpenApiParameter } from './document.ts'
import { errorSchema, faultHeaders, faultResponses } from './error-responses.ts'
import { filterSchemas, targetsOf } from './filter-schema.ts'
import { geometrySchemas } from './geometry-schemas.ts'
import { imageParameterComponents, transformSchemas } from './image-parameters.ts'
import { schemasOfInput } from './input-schema.ts'
import { absentSchema, groupSchema, itemSchema } from './item-schema.ts'
import { conditionSchemas } from './operator-schemas.ts'
import { outputSchema } from './output-schema.ts'
import { payloadSchemas, type VisibleByName } from './payload-schema.ts'
import {
  choiceSchema,
  deepSchema,
  filterParameter,
  metaSchema,
  parameterComponents,
} from './query-parameters.ts'
import { answerHeaders, draftSchema } from './responses.ts'

/** The engine's own collections, which need not be in the schema. */
export interface OwnVisible {
  readonly versions: VisibleActions | undefined
  readonly files: VisibleActions | undefined
}

export function componentsOf(
  all: VisibleByName,
  { versions, files }: OwnVisible,
  { limits }: Pick<EngineInternals, 'limits'>,
  pictures: Images,
): OpenApiComponents {
  // Of the two only files are written like items.
  const written: VisibleByName = files ? new Map([[files.name, files], ...all]) : all
  const table = versions ?? files
  const seen = [...written.values(), ...(versions ? [versions] : [])].flatMap((visible) => visible.seen ?? [])
  const targets = targetsOf(seen)
  return {
    schemas: {
      ...ofNoCollection(limits),
      ...(files?.seen && transformSchemas(pictures)),
      ...joined(
        seen.map((collection) => ({
          [partName(collection.name)]: itemSchema(collection),
          ...filterSchemas(collection, targets.has(collection.name)),
          [partName(collection.name, 'choice')]: choiceSchema(partOf(collection.name, 'filter'), limits),
        })),
      ),
      ...joined([...written.values()].map((visible) => payloadSchemas(visible, written))),
    },
    responses: faultResponses(),
    parameters: {
      ...parameterComponents(limits),
      ...(files?.seen && imageParameterComponents(pictures)),
      ...(table && { id: keyParameter('id', outputSchema(keyOf(table.whole))) }),
      ...joined(
        seen.map(({ name, key }) => ({
          [`${componentName(name)}.filter`]: filterParameter(partOf(name, 'filter')),
          ...(key && { [`${componentName(name)}.key`]: keyParameter('key', outputSchema(key)) }),
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
  ...schemasOfInput(),
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
