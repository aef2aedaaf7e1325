// The TypeScript type of an answer, from the plan of its query: what the compiler infers from the same literals.
import { type Engine, internalsOf } from '../../../../src/engine/engine.ts'
import { listRequest } from '../../../../src/items/read/read-request.ts'
import { type ComparedValue, isAlways } from '../../../../src/plan/filter/predicate.ts'
import type { ListPlan, Member } from '../../../../src/plan/read/read-plan.ts'
import { prepare } from '../../../../src/prepared/prepare.ts'
import { isStored, shownKey } from '../../../../src/schema/model.ts'
import { outputSchema } from '../../../../src/schema/output-schema.ts'
import { familyRow } from '../../../../src/types/families.ts'

export function typeOf(engine: Engine, collection: string, query: unknown): string {
  const core = internalsOf(engine)
  const { template } = prepare(listRequest(core, collection, query, 'list'), core)
  return object([[['data'], listType(template.list)]])
}

function listType({ rows, collection }: ListPlan): string {
  switch (rows.kind) {
    case 'items':
      return `${ofMembers(rows.members)}[]`
    case 'keys': {
      const key = shownKey(collection)
      return `${key ? schemaType(outputSchema(key)) : 'null'}[]`
    }
    default: {
      const groups = rows.groups.map(({ names, value: { subject } }) => [names, valueType(subject)] as const)
      const aggregates = rows.aggregates.map(({ name, names, subject }) => {
        if (name === 'count' || name === 'countDistinct') return [names, 'number'] as const
        const isSame = name === 'min' || name === 'max'
        return [names, isSame && subject ? orNull(bareType(subject)) : 'number | null'] as const
      })
      return `${object([...groups, ...aggregates])}[]`
    }
  }
}

const ofMembers = (members: readonly Member[]): string =>
  object(members.map((member) => [[member.name], memberType(member)]))

function memberType(member: Member): string {
  switch (member.kind) {
    case 'value':
      return member.as === 'key' ? 'string' : valueType(member.subject)
    case 'constant':
      return JSON.stringify(member.text)
    case 'cursor':
      return 'string'
    case 'group':
      return ofMembers(member.members)
    case 'many':
      return listType(member.list)
    case 'one': {
      const item = ofMembers(member.members)
      return member.field.isNullable || !isAlways(member.condition) ? orNull(item) : item
    }
    default:
      return orNull(
        member.arms.map(({ members }) => (members.length ? ofMembers(members) : 'string')).join(' | '),
      )
  }
}

function valueType(value: ComparedValue): string {
  if (value.kind === 'related') return value.name === 'count' ? 'number' : orNull(bareType(value))
  const isNullable = 'field' in value && value.field.isNullable
  return isNullable ? orNull(bareType(value)) : bareType(value)
}

const bareType = (value: ComparedValue): string =>
  schemaType(
    value.kind === 'field' && isStored(value.field)
      ? outputSchema(value.field)
      : familyRow(value.type.family).outputSchema(value.type),
  )

const orNull = (type: string): string => (type === 'unknown' ? type : `${type} | null`)

const scalars: Readonly<Record<string, string>> = {
  ...{ string: 'string', number: 'number', integer: 'number', boolean: 'boolean', object: 'object' },
}

/** The type that a JSON schema of an answer describes. */
function schemaType(schema: Readonly<Record<string, unknown>>): string {
  const { type, enum: values, items, anyOf } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(schemaType))].join(' | ')
  if (type === 'array') return `(${schemaType(Object(items))})[]`
  return Array.isArray(type)
    ? type.map((one) => scalars[one] ?? 'null').join(' | ')
    : (scalars[String(type)] ?? 'unknown')
}

type Named = readonly [names: readonly string[], type: string]

/** An object with members, of which some may lie deeper: `author: { name: … }`. */
function object(members: readonly Named[]): string {
  const inside = new Map<string, Named[]>()
  for (const [[name = '', ...deeper], type] of members)
    inside.set(name, [...(inside.get(name) ?? []), [deeper, type]])
  const lines = [...inside].map(([name, parts]) => {
    const [[deeper, type] = [[], '']] = parts
    const text = deeper.length ? object(parts) : type
    return `  ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${text.replaceAll('\n', '\n  ')}\n`
  })
  return `{\n${lines.join('')}}`
}
