import type { Engine } from '../engine.ts'
import { fault } from '../errors.ts'
import type { Member } from '../plan/read-plan.ts'
import type { Options } from '../run/execute.ts'
import { prepare } from '../run/prepare.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { SingletonAnswer } from './answer.ts'
import type { Asked } from './answer-asked.ts'
import { firstItem } from './get.ts'
import { listRequest } from './request.ts'

/** The only item of a singleton; while there is none, its defaults with a null key.
 *  @example await getSingleton(engine, 'settings', { fields: ['title'] }) */
export function getSingleton<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
): Promise<SingletonAnswer<S, C, Record<never, never>>>
export function getSingleton<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  query: Asked<S, C, Q>,
  options?: Options,
): Promise<SingletonAnswer<S, C, Q>>
export async function getSingleton(
  engine: Engine,
  collection: string,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const request = listRequest(engine, collection, query, 'singleton')
  if (!request.collection.isSingleton)
    throw fault('NOT_FOUND', `"${request.collection.name}" is no singleton, or you may not see it.`)
  const prepared = prepare(request, engine)
  const found = await firstItem(engine, prepared, options)
  if (found !== undefined) return found
  const { rows } = prepared.template.list
  return rows.kind === 'items' ? defaultsOf(rows.members) : {}
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
