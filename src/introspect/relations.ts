// Relations to many: each many-to-one field becomes a list on the other side, and a junction links two lists.
import { quote } from '../errors/errors.ts'
import type { OneToManyDefinition, ThroughDefinition } from '../schema/definition.ts'
import { wrongName } from '../schema/forbidden-names.ts'
import type { Links } from './foreign-keys.ts'
import type { IntrospectOptions } from './introspect-options.ts'
import { fitName, freeName } from './name-fields.ts'
import { called, type Tell } from './remark.ts'
import { wishFor } from './rename.ts'
import type { DraftColumn, TableDraft } from './table-draft.ts'

/** A relation without a name yet. */
interface Relation {
  readonly at: TableDraft
  readonly definition: OneToManyDefinition | ThroughDefinition
  /** Names from the plainest to the most explicit. */
  readonly names: readonly string[]
}

export type NamedRelations = ReadonlyMap<TableDraft, Readonly<Record<string, Relation['definition']>>>

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
  const naming = new Naming(options, tell)
  // Direct relations choose their names first.
  for (const relations of [lists, throughs]) for (const draft of drafts) naming.name(draft, relations)
  return naming.named
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
  const byColumn = `${draft.name}_by_${of.field}`
  return {
    at: target,
    definition: { type: 'o2m', from: `${draft.name}.${of.field}` },
    // For a table that refers to itself, the plain name would not tell the two sides apart.
    names: draft === target ? [byColumn] : [draft.name, byColumn],
  }
}

function throughOf(draft: TableDraft, end: End, far: End): Relation {
  const through = `${far.target.name}_through_${draft.name}`
  const byColumn = `${through}_by_${end.of.field}`
  return {
    at: end.target,
    definition: {
      type: 'm2m',
      through: `${draft.name}.${end.of.field}`,
      to: far.of.field,
      // A row without one of its ends is useless, and could not be stored.
      ...(!end.of.column.isNullable && { deselect: 'delete' }),
    },
    names: end.target === far.target ? [byColumn] : [far.target.name, through, byColumn],
  }
}

class Naming {
  readonly named = new Map<TableDraft, Record<string, Relation['definition']>>()
  readonly #taken = new Map<TableDraft, Set<string>>()
  readonly #options: IntrospectOptions
  readonly #tell: Tell

  constructor(options: IntrospectOptions, tell: Tell) {
    this.#options = options
    this.#tell = tell
  }

  /** Names the relations of a collection. If two would have the same name, both get a longer one. */
  name(draft: TableDraft, relations: readonly Relation[], step = 0): void {
    const own = relations.filter(({ at }) => at === draft)
    const longer: Relation[] = []
    for (const relation of own) {
      const name = nameAt(relation, step)
      const isLast = step >= relation.names.length - 1
      const isShared = own.some((other) => other !== relation && nameAt(other, step) === name)
      if (isLast || !(isShared || this.#takenIn(draft).has(name))) this.#give(relation, name, step)
      else longer.push(relation)
    }
    if (longer.length > 0) this.name(draft, longer, step + 1)
  }

  #give({ at, definition, names }: Relation, plain: string, step: number): void {
    const { table } = at
    const taken = this.#takenIn(at)
    const fit = freeName(fitName(plain), taken)
    const wish = wishFor(this.#options, { dbSchema: table.schema, table: table.name, field: fit })
    const wrong =
      wish === undefined ? undefined : (wrongName(wish) ?? (taken.has(wish) ? 'is taken' : undefined))
    const name = wish === undefined || wrong !== undefined ? fit : wish
    taken.add(name)
    const route = definition.type === 'o2m' ? definition.from : definition.through
    const what = `${called(table)} has a list of what leads to it by ${quote(route)}`
    if (wrong !== undefined)
      this.#tell(
        'NAME_REFUSED',
        { table },
        `${what}, called ${quote(name)}: the name ${quote(wish)} ${wrong}.`,
      )
    else if (name === fit && (step > 0 || fit !== plain))
      this.#tell(
        'RELATION_NAMED',
        { table },
        `${what}, called ${quote(name)}, since ${quote(names[0] ?? '')} would not be it alone.`,
      )
    this.named.set(at, { ...this.named.get(at), [name]: definition })
  }

  #takenIn(draft: TableDraft): Set<string> {
    const known = this.#taken.get(draft)
    if (known) return known
    const made = new Set(draft.names)
    this.#taken.set(draft, made)
    return made
  }
}

const nameAt = ({ names }: Relation, step: number): string => names[step] ?? names.at(-1) ?? ''
