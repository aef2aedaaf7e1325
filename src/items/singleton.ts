import type { Engine } from '../engine.ts'
import { fault } from '../errors.ts'
import type { Member } from '../plan/read-plan.ts'
import type { ParsedQuery, Query } from '../query/types.ts'
import type { Options } from '../run/execute.ts'
import { prepare } from '../run/prepare.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { ItemAnswer } from './answer.ts'
import { firstItem } from './get.ts'
import { listRequest } from './request.ts'

/** The only item of a singleton; while there is none, its defaults with a null key.
 *  @example await getSingleton(engine, 'settings', { fields: ['title'] }) */
export async function getSingleton<
  S extends Schema,
  C extends CollectionName<S>,
  const Q extends Query<S, C> | ParsedQuery = Record<never, never>,
>(engine: Engine<S>, collection: C, query?: Q, options: Options = {}): Promise<ItemAnswer<S, C, Q>> {
  const request = listRequest(engine, collection, query, 'singleton')
  if (!request.collection.isSingleton)
    throw fault('NOT_FOUND', `"${request.collection.name}" is no singleton, or you may not see it.`)
  const found = await firstItem(engine, request, options)
  if (found !== undefined) return found as ItemAnswer<S, C, Q> // the plan was made of what the type was made of
  const { rows } = prepare(request, engine).template.list
  return (rows.kind === 'items' ? defaultsOf(rows.members) : {}) as ItemAnswer<S, C, Q>
}

/** What an item that does not exist yet would start with. */
function defaultsOf(members: readonly Member[]): Record<string, unknown> {
  return Object.fromEntries(members.map((member) => [member.name, defaultOf(member)]))
}

function defaultOf(member: Member): unknown {
  if (member.kind === 'many') return []
  if (member.kind !== 'value') return null
  const { subject } = member
  if (subject.kind === 'count') return 0
  return subject.kind === 'field' && !subject.field.isKey ? (subject.field.default ?? null) : null
}
