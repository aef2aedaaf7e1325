// Relations to many: each many-to-one field becomes a list on the other side, and a junction links two lists.
import { quote } from '../errors/errors.ts'
import type { OneToManyDefinition, ThroughDefinition } from '../schema/definition.ts'
import type { Links } from './foreign-keys.ts'
import type { IntrospectOptions } from './introspect-options.ts'
import { isCalledLike, isCalledLikeBoth, RelationNames, stemOf, type Unnamed } from './relation-names.ts'
import type { Tell } from './remark.ts'
import type { DraftColumn, TableDraft } from './table-draft.ts'

type Definition = OneToManyDefinition | ThroughDefinition
type Relation = Unnamed<Definition>

export type NamedRelations = ReadonlyMap<TableDraft, Readonly<Record<string, Definition>>>

/** Returns the relations without a column of each collection, by name. */
export function relationsOf(
  drafts: readonly TableDraft[],
  links: Links,
  options: IntrospectOptions,
  tell: Tell,
): NamedRelations {
  const lists: Relation[] = []
  const throughs: Relation[] = []
  for (const draft of drafts) {
    const ends = endsOf(draft, links)
    const junction = junctionOf(draft, ends)
    for (const end of ends) {
      const other = junction?.find((one) => one !== end)
      if (other) throughs.push(throughOf(draft, end, other))
      else lists.push(listOf(draft, end))
    }
  }
  const names = new RelationNames<Definition>(options, tell)
  // Direct relations choose their names first.
  names.give(lists)
  names.give(throughs)
  return new Map(drafts.map((draft) => [draft, Object.fromEntries(names.of(draft))]))
}

/** A column with a target. */
interface End {
  readonly of: DraftColumn
  readonly target: TableDraft
}

const endsOf = (draft: TableDraft, links: Links): readonly End[] =>
  draft.columns.flatMap((of) => {
    const target = links.get(draft)?.get(of.column.name)
    return target ? [{ of, target }] : []
  })

/** Returns the two ends of a pure junction: a table with at most a key besides them. */
function junctionOf({ table, key }: TableDraft, ends: readonly End[]): readonly End[] | undefined {
  const isPure = table.columns.every(
    (column) => column.name === key.column.name || ends.some(({ of }) => of.column.name === column.name),
  )
  return ends.length === 2 && isPure && table.kind === 'table' && ends.every(({ of }) => of !== key)
    ? ends
    : undefined
}

function listOf(draft: TableDraft, { of, target }: End): Relation {
  const from = `${draft.name}.${of.field}`
  const byColumn = byNames(draft.name, of.field)
  return {
    at: target,
    definition: { type: 'o2m', from },
    says: ledBy(from),
    // For a table that refers to itself, the plain name would not tell the two sides apart.
    names: draft === target ? byColumn : [draft.name, ...byColumn],
    isPlain: isCalledLike(of.field, target.name),
  }
}

function throughOf(draft: TableDraft, end: End, far: End): Relation {
  const route = `${draft.name}.${end.of.field}`
  const through = `${far.target.name}_through_${draft.name}`
  const byColumn = byNames(through, end.of.field)
  return {
    at: end.target,
    definition: {
      type: 'm2m',
      through: route,
      to: far.of.field,
      // A row without one of its ends is useless, and could not be stored.
      ...(!end.of.column.isNullable && { deselect: 'delete' }),
    },
    says: ledBy(route),
    names:
      end.target === far.target
        ? [...byNames(draft.name, end.of.field), ...byColumn]
        : [far.target.name, through, ...byColumn],
    isPlain: isCalledLikeBoth(draft.name, end.target.name, far.target.name),
  }
}

const ledBy = (route: string) => `a list of what leads to it by ${quote(route)}`

/** Returns names that say by which column a table leads here. */
const byNames = (name: string, field: string): readonly string[] => [
  ...new Set([`${name}_by_${stemOf(field)}`, `${name}_by_${field}`]),
]
