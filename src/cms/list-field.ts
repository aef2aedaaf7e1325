// Other side of a relation: a field without a column, for the rows that refer to this one.
import { quote } from '../errors/errors.ts'
import type { FieldDefinition, OneToManyDefinition, ThroughDefinition } from '../schema/definition.ts'
import type { RelationFact } from './facts.ts'

type FieldDefinitions = Readonly<Record<string, FieldDefinition>>

/** Returns the field of a list. `holders`: the fields of the collection with the foreign key. Returns a sentence if there is no such
 *  relation. */
export function listField(
  { from, to, alias, junctionField, sortField, deselect }: RelationFact,
  holders: FieldDefinitions | undefined,
  remark: (message: string) => void,
): OneToManyDefinition | ThroughDefinition | string {
  const place = `${from.collection}.${from.field}`
  if (!holders) return `It leads to ${quote(from.collection)}, which is no collection here.`
  const foreign = holders[from.field]
  if (foreign?.type !== 'm2o' || foreign.to !== to)
    return `It needs ${quote(place)} to point to ${quote(to)}, which it does not.`
  const sort = sortField !== undefined && isStored(holders[sortField]) ? sortField : undefined
  if (sortField !== undefined && sort === undefined)
    remark(`${quote(from.collection)} has no field ${quote(sortField)} to sort ${quote(alias)} by.`)
  const shared = { ...(sort !== undefined && { sort }), deselect }
  const far = junctionField === undefined || junctionField === from.field ? undefined : holders[junctionField]
  const through = farKinds[far?.type ?? '']
  if (through && junctionField !== undefined)
    return { type: through, through: place, to: junctionField, ...shared }
  return { type: 'o2m', from: place, ...shared }
}

/** Kinds of relations through a junction, by the kind of its far field. */
const farKinds: Readonly<Record<string, 'm2m' | 'm2a'>> = { m2o: 'm2m', any: 'm2a' }

const isStored = (field: FieldDefinition | undefined): boolean =>
  field !== undefined && field.type !== 'o2m' && field.type !== 'm2m' && field.type !== 'm2a'
