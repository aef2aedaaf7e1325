// Relations without a column: many-to-one fields by several columns, the lists on the other side, and the lists behind junctions.
import { quote } from '../errors/errors.ts'
import type { ManyToOneDefinition, OneToManyDefinition, ThroughDefinition } from '../schema/definition.ts'
import type { Link, Links } from './foreign-keys.ts'
import type { IntrospectOptions } from './introspect-options.ts'
import { isCalledLike, isCalledLikeBoth, RelationNames, stemOf, type Unnamed } from './relation-names.ts'
import type { DraftColumn, Report, TableDraft } from './remark.ts'

type Definition = ManyToOneDefinition | OneToManyDefinition | ThroughDefinition
type Relation = Unnamed<Definition>

export type NamedRelations = ReadonlyMap<TableDraft, Readonly<Record<string, Definition>>>

/** Returns the relations without a column of each collection, by name. */
export function relationsOf(
  drafts: readonly TableDraft[],
  links: Links,
  options: IntrospectOptions,
  report: Report,
): NamedRelations {
  const names = new RelationNames<Definition>(options, report)
  // Lists are named after the fields that they come by. Direct relations choose before those through junctions.
  const ends = drafts.map((draft) => endsOf(draft, links.get(draft) ?? [], names))
  const junctions = drafts.map((draft, at) => junctionOf(draft, ends[at] ?? []))
  const hidden = new Set(junctions.flatMap((junction) => (junction?.isPure ? junction.ends : [])))
  names.give(ends.flat().flatMap((end) => (hidden.has(end) ? [] : [listOf(end)])))
  names.give(junctions.flatMap((junction) => (junction ? throughs(junction) : [])))
  return new Map(drafts.map((draft) => [draft, Object.fromEntries(names.of(draft))]))
}

/** Returns the fields of a table that lead to others, and names those without a column. */
function endsOf(draft: TableDraft, links: readonly Link[], names: RelationNames<Definition>): readonly End[] {
  const byParts = links
    .filter(({ columns }) => columns.length > 1)
    .map((link) => [link, tupleOf(draft, link, links)] as const)
  names.give(byParts.map(([, relation]) => relation))
  const input = new Map(byParts.map(([link, { definition }]) => [link, names.nameOf(draft, definition)]))
  return links.map((link) => ({ ...link, draft, field: input.get(link) ?? link.columns[0]?.field ?? '' }))
}

interface End extends Link {
  readonly draft: TableDraft
  readonly field: string
}

interface Junction {
  readonly ends: readonly [End, End]
  /** True if its rows say nothing but what they join. */
  readonly isPure: boolean
}

/** Returns the many-to-one field of several columns. */
function tupleOf(draft: TableDraft, link: Link, all: readonly Link[]): Relation {
  const { columns, target, references } = link
  const others = all.filter((one) => one !== link)
  const isDatabases = columns.some(({ column }) => column.source === 'database')
  const by = columns.map(({ field }) => field)
  const own = columns.filter((of) => !others.some((other) => other.columns.includes(of)))
  const [only, ...more] = own
  const isTelling = only && more.length === 0 && (draft === target || isCalledLike(only.field, target.name))
  const byColumns = `${target.name}_by_${by.join('_')}`
  return {
    at: draft,
    definition: {
      type: 'm2o',
      to: target.name,
      by,
      ...(references && { references: references.map(({ field }) => field) }),
      ...((isDatabases || !draft.table.isWritable) && { readonly: true }),
    },
    says: `a relation by ${by.map(quote).join(' and ')}`,
    names: [
      ...(isTelling ? [stemOf(only.field)] : []),
      ...(draft === target ? [] : [target.name]),
      byColumns,
    ],
    isPlain: false,
  }
}

/** Returns the two ends of a junction: a table whose key is made of both, or one with nothing but them and a key of its own. */
function junctionOf({ table, key }: TableDraft, ends: readonly End[]): Junction | undefined {
  if (table.kind !== 'table' || key.length === 0) return undefined
  const isPure = (pair: Pair) =>
    table.columns.every(({ name }) => [...namesOf(key), ...joined(pair)].includes(name))
  const isKeyed = (pair: Pair) =>
    isSame(joined(pair), namesOf(key)) && !pair.some(({ columns }) => isSame(namesOf(columns), namesOf(key)))
  const isBeside = (pair: Pair) =>
    ends.length === 2 && isPure(pair) && !namesOf(key).some((name) => joined(pair).includes(name))
  const pairs = ends.flatMap((one, at) => ends.slice(at + 1).map((other): Pair => [one, other]))
  const [pair, ...more] = pairs.filter((one) => isKeyed(one) || isBeside(one))
  return pair && more.length === 0 ? { ends: pair, isPure: isPure(pair) } : undefined
}

type Pair = Junction['ends']

const namesOf = (columns: readonly DraftColumn[]) => columns.map(({ column }) => column.name)
const joined = ([one, other]: Pair) => namesOf([...one.columns, ...other.columns])
const isSame = (some: readonly string[], others: readonly string[]) =>
  some.every((name) => others.includes(name)) && others.every((name) => some.includes(name))

function listOf({ draft, field, target }: End): Relation {
  const from = `${draft.name}.${field}`
  const byColumn = byNames(draft.name, field)
  return {
    at: target,
    definition: { type: 'o2m', from },
    says: ledBy(from),
    // For a table that refers to itself, the plain name would not distinguish the two sides.
    names: draft === target ? byColumn : [draft.name, ...byColumn],
    isPlain: isCalledLike(field, target.name),
  }
}

const throughs = ({ ends: [one, other], isPure }: Junction): readonly Relation[] => [
  throughOf(one, other, isPure),
  throughOf(other, one, isPure),
]

function throughOf(end: End, far: End, isPure: boolean): Relation {
  const { draft, field, target } = end
  const route = `${draft.name}.${field}`
  const through = `${far.target.name}_through_${draft.name}`
  const isNullable = end.columns.some((of) => of.column.isNullable && !draft.key.includes(of))
  return {
    at: target,
    definition: {
      type: 'm2m',
      through: route,
      to: far.field,
      // A row without one of its ends is useless, and could not be stored.
      ...(!isNullable && { deselect: 'delete' }),
    },
    says: ledBy(route),
    names:
      target === far.target
        ? [...(isPure ? byNames(draft.name, field) : []), ...byNames(through, field)]
        : [far.target.name, through, ...byNames(through, field)],
    isPlain: isCalledLikeBoth(draft.name, target.name, far.target.name),
  }
}

const ledBy = (route: string) => `a list of what leads to it by ${quote(route)}`

/** Returns names that say by which column a table leads here. */
const byNames = (name: string, field: string): readonly string[] => [
  ...new Set([`${name}_by_${stemOf(field)}`, `${name}_by_${field}`]),
]
