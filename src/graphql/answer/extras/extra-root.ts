// Fields of `Query` that the host computes. They need no statement.
import { isNonNullType } from 'graphql'
import { argumentsOf } from '../../document/level-arguments.ts'
import { meaningOf } from '../../schema/meaning.ts'
import type { PlannedRoot, RootField } from '../roots/plan-root.ts'
import { computeQuery } from './extras.ts'

/** Plans a field that the host computes; undefined if it is none. */
export function planExtraRoot(field: RootField): PlannedRoot | undefined {
  const { name, nodes, type, extensions } = field
  if (!extensions || extensions.queries.size === 0) return undefined
  const [node] = nodes
  const definition = type.getFields()[node.name.value]
  const meaning = definition && meaningOf(definition)
  if (!definition || !meaning || !('extraQuery' in meaning)) return undefined
  const args = argumentsOf(definition, node, field.collecting.variables)
  const context = { engine: field.engine.asEngine(), signal: field.options.signal }
  return {
    // Each is computed on its own: a function of the host may return something else each time.
    identity: () => JSON.stringify(['extra', name]),
    isNullable: !isNonNullType(definition.type),
    run: async () => ({
      text: JSON.stringify(await computeQuery(extensions, meaning.extraQuery, args, context)) ?? 'null',
      truncated: [],
    }),
  }
}
