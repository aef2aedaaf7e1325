// Names of fields without a column: the shortest that says which relation is meant.
import { quote } from '../errors/errors.ts'
import { wrongName } from '../schema/forbidden-names.ts'
import { groupBy } from '../writes/context/group-by.ts'
import type { IntrospectOptions } from './introspect-options.ts'
import { fitName, freeName } from './name-fields.ts'
import { called, type Report, type TableDraft } from './remark.ts'
import { wishFor } from './rename.ts'

export interface Unnamed<Definition> {
  readonly at: TableDraft
  readonly definition: Definition
  /** Description of the relation for remarks: the end of a sentence that begins with the table. */
  readonly says: string
  /** Names from the plainest to the most explicit. */
  readonly names: readonly string[]
  /** True if it has the first claim to the plainest name. */
  readonly isPlain: boolean
}

export class RelationNames<Definition> {
  readonly #named = new Map<TableDraft, Map<string, Definition>>()
  readonly #taken = new Map<TableDraft, Set<string>>()
  readonly #options: IntrospectOptions
  readonly #report: Report

  constructor(options: IntrospectOptions, report: Report) {
    this.#options = options
    this.#report = report
  }

  /** Names relations, of any tables. Those that are given first choose first. */
  give(relations: readonly Unnamed<Definition>[]): void {
    for (const own of groupBy(relations, ({ at }) => at).values()) this.#name(own, 0)
  }

  nameOf(draft: TableDraft, definition: Definition): string | undefined {
    return [...this.of(draft)].find(([, input]) => input === definition)?.[0]
  }

  of(draft: TableDraft): ReadonlyMap<string, Definition> {
    return this.#named.get(draft) ?? new Map()
  }

  /** Names relations of a table. Of several that would have the same name, one may be plainly meant; the others get longer ones. */
  #name(own: readonly Unnamed<Definition>[], step: number): void {
    const longer: Unnamed<Definition>[] = []
    for (const [name, all] of groupBy(own, (relation) => nameAt(relation, step))) {
      const [first, ...more] = step === 0 ? all.filter(({ isPlain }) => isPlain) : []
      const matching = all.length === 1 ? all[0] : more.length === 0 ? first : undefined
      for (const relation of all) {
        const isLast = step >= relation.names.length - 1
        if (isLast || (relation === matching && !this.#takenIn(relation.at).has(name)))
          this.#give(relation, name, step)
        else longer.push(relation)
      }
    }
    if (longer.length > 0) this.#name(longer, step + 1)
  }

  #give({ at, definition, names, says }: Unnamed<Definition>, plain: string, step: number): void {
    const { table } = at
    const taken = this.#takenIn(at)
    const fit = freeName(fitName(plain), taken)
    const wish = wishFor(this.#options, { dbSchema: table.schema, table: table.name, field: fit })
    const wrong =
      wish === undefined ? undefined : (wrongName(wish) ?? (taken.has(wish) ? 'is taken' : undefined))
    const name = wish === undefined || wrong !== undefined ? fit : wish
    taken.add(name)
    const what = `${called(table)} has ${says}, called ${quote(name)}`
    if (wrong !== undefined)
      this.#report('NAME_REFUSED', { table }, `${what}: the name ${quote(wish)} ${wrong}.`)
    else if (name === fit && (step > 0 || fit !== plain))
      this.#report(
        'RELATION_NAMED',
        { table },
        `${what}, since ${quote(names[0] ?? '')} would not be it alone.`,
      )
    const named = this.#named.get(at) ?? new Map<string, Definition>()
    this.#named.set(at, named.set(name, definition))
  }

  #takenIn(draft: TableDraft): Set<string> {
    const known = this.#taken.get(draft)
    if (known) return known
    const made = new Set(draft.names)
    this.#taken.set(draft, made)
    return made
  }
}

const nameAt = <Definition>({ names }: Unnamed<Definition>, step: number): string =>
  names[step] ?? names.at(-1) ?? ''

/** Returns the name of a column without the word for a key at its end: `author` for `author_id` and `AuthorId`. */
export const stemOf = (name: string): string => name.replace(/(?<=.)(?:_id|_ID|Id|ID)$/, '')

/** True if a column is called like what it leads to: `user_id` leads to `users`, or to `auth_user`. */
export function isCalledLike(column: string, table: string): boolean {
  const words = wordsOf(stemOf(column))
  return words.length > 0 && wordsOf(table).slice(-words.length).join(' ') === words.join(' ')
}

/** True if a table between two others is called like both: `posts_tags`, `PostTag`, `_PostToTag`. */
export function isCalledLikeBoth(table: string, one: string, other: string): boolean {
  const words = wordsOf(table)
    .filter((word) => !joining.has(word))
    .join(' ')
  return [`${one}_${other}`, `${other}_${one}`].some((both) => wordsOf(both).join(' ') === words)
}

const joining: ReadonlySet<string> = new Set(['to', 'has', 'and', 'x'])

/** Returns the words of a name in lower case and the singular, roughly: enough to compare two names. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, '_')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, ''))
