// Computes extra fields: calls the function of the host and checks what it returns.
import type { FieldNode } from 'graphql'
import type { Engine } from '../../../engine/engine.ts'
import { fault, quote, unreachable } from '../../../errors/errors.ts'
import type { ExtraLevel } from '../../document/extra-level.ts'
import type { Parameters } from '../../document/level-arguments.ts'
import type { Variables } from '../../document/variables.ts'
import type { GraphQLExtraContext } from '../../schema/extra/extend-options.ts'
import type { Extensions, Extra, ExtraField } from '../../schema/extra/extensions.ts'

/** An extra field of a request, with its arguments. */
export interface BoundExtra {
  readonly kind: 'extra'
  readonly name: string
  readonly node: FieldNode
  readonly compute: (item: unknown) => Promise<unknown>
}

/** The extra fields of a level of a request, by the names of members. */
export interface BoundLevel {
  readonly kind: 'level'
  readonly members: ReadonlyMap<string, BoundExtra | BoundLevel>
}

/** Surroundings in which extra fields are computed. */
interface ExtraContext {
  readonly extensions: Extensions
  readonly engine: Engine
  readonly signal: AbortSignal | undefined
}

/** Gives the extra fields of a selection their arguments and functions. What is wrong with an argument is found here. */
export function boundExtras(
  { members }: ExtraLevel,
  variables: Variables,
  context: ExtraContext,
): BoundLevel {
  const bound = [...members].map(([name, member]) => {
    if (member.kind === 'level') return [name, boundExtras(member, variables, context)] as const
    const extra = extraField(context.extensions, member.collection, member.field)
    const args = member.args(variables)
    const compute = (item: unknown) =>
      computeField({ extra, collection: member.collection }, item, args, context)
    return [name, { kind: 'extra', name: member.name, node: member.node, compute }] as const
  })
  return { kind: 'level', members: new Map<string, BoundExtra | BoundLevel>(bound) }
}

export function extraField({ fields }: Extensions, collection: string, name: string): ExtraField {
  const found = fields.get(collection)?.get(name)
  if (found) return found
  throw unreachable(`${collection} has no extra field ${name}`)
}

export async function computeField(
  { extra, collection }: { readonly extra: ExtraField; readonly collection: string },
  item: unknown,
  args: Parameters,
  context: GraphQLExtraContext,
): Promise<unknown> {
  // The item was read with the names of the fields that it needs.
  const needed = item as Parameters
  return checked(extra, `${collection}.${extra.name}`, await extra.resolve(needed, args, shownTo(context)))
}

export async function computeQuery(
  { queries }: Extensions,
  name: string,
  args: Parameters,
  context: GraphQLExtraContext,
): Promise<unknown> {
  const extra = queries.get(name)
  if (!extra) throw unreachable(`there is no extra query ${name}`)
  return checked(extra, name, await extra.resolve(args, shownTo(context)))
}

const shownTo = ({ engine, signal }: GraphQLExtraContext): GraphQLExtraContext => ({ engine, signal })

function checked({ type, shown }: Extra<unknown>, name: string, value: unknown): unknown {
  const result = shown(value)
  // A code for mistakes of the host, whose message no caller sees.
  if (result === undefined)
    throw fault('INVALID_SCHEMA', `"${name}" is of the type ${type}, unlike ${quote(value)}.`)
  return result
}
