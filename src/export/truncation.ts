// Detects whether a default or maximum limit truncates a file. A file cannot say so itself, and it has to be known before its first byte is
// sent, so it is queried beforehand: for each list that may be cut, whether there is a row behind its page.

import type { EngineInternals } from '../engine/engine.ts'
import { unreachable } from '../errors/errors.ts'
import type { Options } from '../execution/database.ts'
import { execute } from '../execution/execute.ts'
import type { ListPlan, Member } from '../plan/read/read-plan.ts'
import { chunksOf } from '../prepared/streams/stream-rows.ts'
import { bindStatement } from '../prepared/templates/template.ts'
import { rowStatement } from '../sql/row-statements.ts'
import { isRecord } from '../values/guards.ts'

export async function isTruncated(
  list: ListPlan,
  engine: EngineInternals,
  options: Options,
): Promise<boolean> {
  return (await isRootCut(list, engine, options)) || isCutBelow(list, engine, options)
}

async function isRootCut(list: ListPlan, engine: EngineInternals, options: Options): Promise<boolean> {
  if (!list.page.isCut) return false
  const rows = list.rows.kind === 'groups' ? list.rows : ({ kind: 'items', members: [] } as const)
  const statement = rowStatement({ ...behind(list), rows }, engine, { probe: 0 })
  return (await execute(engine, bindStatement(statement, new Map()), options)).length > 0
}

/** Reads the list with nothing but the nested lists that may be cut, up to the first item with a cut one. */
async function isCutBelow(list: ListPlan, engine: EngineInternals, options: Options): Promise<boolean> {
  const members = list.rows.kind === 'items' ? list.rows.members.flatMap(lookouts) : []
  if (members.length === 0) return false
  const looked = { ...list, rows: { kind: 'items', members } } as const
  for await (const chunk of chunksOf(looked, engine, options)) if (chunk.some(isCutIn)) return true
  return false
}

/** Returns the members that lead to lists that may be cut. */
function lookouts(member: Member): readonly Member[] {
  switch (member.kind) {
    case 'value':
    case 'constant':
    case 'cursor':
    case 'group':
      return []
    case 'one': {
      const members = member.members.flatMap(lookouts)
      return members.length === 0 ? [] : [{ ...member, members }]
    }
    case 'any': {
      const arms = member.arms.map((arm) => ({ ...arm, members: arm.members.flatMap(lookouts) }))
      return arms.some(({ members }) => members.length > 0) ? [{ ...member, arms }] : []
    }
    case 'many':
      return listLookouts(member.name, member.list)
    default:
      throw unreachable(`a member of kind ${String(member satisfies never)}`)
  }
}

function listLookouts(name: string, list: ListPlan): readonly Member[] {
  const members = list.rows.kind === 'items' ? list.rows.members.flatMap(lookouts) : []
  const rows = list.rows.kind === 'groups' ? list.rows : ({ kind: 'keys' } as const)
  return [
    ...(list.page.isCut
      ? [{ kind: 'many', name: `${cutMark}${name}`, list: { ...behind(list), rows } } as const]
      : []),
    ...(members.length === 0
      ? []
      : [{ kind: 'many', name, list: { ...list, rows: { kind: 'items', members } } } as const]),
  ]
}

/** Returns the list that begins behind the page of a list. One row of it is enough. */
function behind(list: ListPlan): ListPlan {
  const { limit = 0, offset } = list.page
  return { ...list, page: { ...list.page, limit: 1, offset: offset + limit, isCut: false } }
}

// No field can have this name.
const cutMark = 'behind.'

function isCutIn(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isCutIn)
  if (!isRecord(value)) return false
  return Object.entries(value).some(([name, inner]) =>
    name.startsWith(cutMark) ? Array.isArray(inner) && inner.length > 0 : isCutIn(inner),
  )
}
