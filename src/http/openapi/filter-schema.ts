import { type Collection, type Field, isToMany } from '../../schema/model.ts'
import type { Family } from '../../types/families.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { partName, partOf } from './component-names.ts'
import { operandOf } from './input-schema.ts'
import { calls, closed, junctionsOf, matchOf, quantifiersOf, testsOf } from './operator-schemas.ts'

/** Returns the filter schemas of a collection's items: on their own, behind a relation, and as the children of another item. */
export function filterSchemas(
  collection: Collection,
  isTarget: boolean,
): Readonly<Record<string, JsonSchema>> {
  const { name, fields, key } = collection
  const conditions = partOf(name, 'conditions')
  // Behind a relation, operators without a field test the key.
  const ofRelated = key ? [conditions, testsOf(key.value.family)] : [conditions]
  const related = partOf(name, 'related')
  return {
    [partName(name, 'conditions')]: {
      type: 'object',
      properties: Object.fromEntries([...fields.values()].flatMap(conditionsOn)),
      patternProperties: calls,
    },
    [partName(name, 'filter')]: closed([conditions], junctionsOf(partOf(name, 'filter'))),
    ...(isTarget && {
      [partName(name, 'related')]: closed(ofRelated, junctionsOf(related)),
      [partName(name, 'children')]: closed(ofRelated, {
        ...junctionsOf(partOf(name, 'children')),
        ...quantifiersOf(related),
      }),
    }),
  }
}

function conditionsOn(field: Field): [string, JsonSchema][] {
  const { name } = field
  if (isToMany(field)) return [[name, behind(field.target, 'children')]]
  if (field.kind === 'm2o') return [[name, behind(field.target, 'related')]]
  if (field.kind === 'scalar') return [[name, matchOf(field.isConcealed ? 'hash' : field.value.family)]]
  const scopes = [...field.targets.keys()].map((target): [string, JsonSchema] => [
    `${name}:${target}`,
    partOf(target, 'related'),
  ])
  return [[name, matchOf(field.value.family)], ...scopes]
}

/** Returns the schema of a relation's filter: a key, null, or conditions on the items behind it. */
function behind({ name, key }: Collection, part: 'related' | 'children'): JsonSchema {
  return {
    anyOf: [
      ...(key && key.kind !== 'key' ? operands(key.value.family) : []),
      { type: 'null' },
      partOf(name, part),
    ],
  }
}

function operands(family: Family): readonly JsonSchema[] {
  const operand = operandOf(family)
  return operand ? [operand] : []
}
