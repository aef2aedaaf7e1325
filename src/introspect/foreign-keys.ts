// Foreign keys as many-to-one fields: those that refer to the key of a collection, or to other unique columns of it.
import type { CatalogueForeignKey } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import type { ScalarDefinition } from '../schema/definition.ts'
import { canBeKey } from '../types/families.ts'
import { fieldTypes, isFieldType, storedForm } from '../types/field-types.ts'
import { keepsUnique } from './find-key.ts'
import { called, type DraftColumn, type Hints, type Report, type TableDraft } from './remark.ts'

/** Columns that hold the key of another collection, in the order of that key, or other unique columns of it. */
export interface Link {
  readonly columns: readonly DraftColumn[]
  readonly target: TableDraft
  /** The columns to which they refer; absent for the key. */
  readonly references?: readonly DraftColumn[]
}

/** The columns of the target whose values a link holds. */
const referencedBy = ({ target, references = target.key }: Link): readonly DraftColumn[] => references

export type Links = ReadonlyMap<TableDraft, readonly Link[]>

export function foreignKeysOf(drafts: readonly TableDraft[], report: Report): Links {
  const byTable = new Map(drafts.map((draft) => [placeOf(draft.table), draft]))
  const links = new Map<TableDraft, readonly Link[]>()
  for (const draft of drafts) {
    const own: Link[] = []
    for (const key of draft.table.foreignKeys) {
      const link = linkOf(draft, key, byTable, report)
      if (link && !isKnown(draft, link, own, report)) own.push(link)
    }
    links.set(draft, own)
  }
  for (const [draft, own] of links) {
    const circular = own.filter(
      (link) =>
        (isPartOfKey(draft, link) && leadsBack(draft, link.target, links)) || returnsToItself(link, links),
    )
    for (const { columns } of circular) reportCircle(draft, columns, report)
    if (circular.length > 0)
      links.set(
        draft,
        own.filter((link) => !circular.includes(link)),
      )
  }
  // Columns hold several values, or others than a key, by their own types, which are known only now.
  return new Map(
    [...links].map(([draft, own]) => [draft, own.filter((link) => isOfOneType(draft, link, links, report))]),
  )
}

const placeOf = ({ schema, name }: { readonly schema: string; readonly name: string }) =>
  JSON.stringify([schema, name])

function linkOf(
  { table, columns }: TableDraft,
  { columns: names, table: place, targetColumns, isIncomparable }: CatalogueForeignKey,
  byTable: ReadonlyMap<string, TableDraft>,
  report: Report,
): Link | undefined {
  const own = names.map((name) => columns.find(({ column }) => column.name === name))
  // An override of a column takes precedence.
  const held = own.flatMap((column) => (column && !isSomethingElse(column) ? [column] : []))
  if (held.length < names.length) return undefined
  const where = `${called(table, names)} ${names.length === 1 ? 'leads' : 'lead'} to ${quote(place.name)}`
  const plain = names.length === 1 ? 'it is a plain value' : 'they are plain values'
  const at = { table, column: names[0] }
  const target = byTable.get(placeOf(place))
  if (!target) {
    report('FOREIGN_KEY_OUTSIDE', at, `${where}, which is no collection here; ${plain}.`)
    return undefined
  }
  if (isIncomparable) {
    const says = `${where}, whose texts have another collation, so that the database compares them by neither; ${plain} here.`
    report('FOREIGN_KEY_TO_NO_KEY', at, says, { hint: 'Give the columns of both tables the same collation.' })
    return undefined
  }
  const parts = target.key.map(({ column }) => held[targetColumns.indexOf(column.name)])
  const whole = parts.flatMap((part) => part ?? [])
  if (whole.length === names.length && whole.length === target.key.length) return { columns: whole, target }
  const references = targetColumns.flatMap((name) => columnNamed(target, name) ?? [])
  const reason = reasonAgainst(target, targetColumns, references)
  if (!reason) return { columns: held, target, references }
  const by = targetColumns.map(quote).join(', ')
  const { says, ...hints } = reason
  report('FOREIGN_KEY_TO_NO_KEY', at, `${where} by ${by}, ${says}; ${plain} here.`, hints)
  return undefined
}

const columnNamed = ({ columns }: TableDraft, name: string): DraftColumn | undefined =>
  columns.find(({ column }) => column.name === name)

interface Reason {
  readonly says: string
  readonly hint: string
  readonly commandHint?: string
}

/** The reason why no relation refers to some columns; undefined if one can. */
function reasonAgainst(
  { table, name, key }: TableDraft,
  names: readonly string[],
  columns: readonly DraftColumn[],
): Reason | undefined {
  const declaring = {
    hint: `Say what identifies its rows with override: { ${JSON.stringify(name)}: { key: ${JSON.stringify(names.length === 1 ? names[0] : names)} } }.`,
    commandHint: `Say what identifies its rows with --key ${JSON.stringify(`${name}=${names.join(',')}`)}.`,
  }
  if (key.length === 0) return { says: 'and it has no key', ...declaring }
  if (columns.length < names.length)
    return { says: 'which is no field here', hint: 'Leave the field of that column in.' }
  if (!columns.every(canBeReferenced))
    return { says: 'whose type cannot identify items', hint: 'Refer to a column of another type.' }
  const says = 'which the database does not keep unique'
  // A view has no unique columns, but it may have another key.
  if (!table.keepsKeys) return { says, ...declaring }
  if (keepsUnique(table, names)) return undefined
  return {
    says,
    hint: `Create a unique index on it: create unique index on ${table.name} (${names.join(', ')}).`,
  }
}

/** True for a column whose values can stand for items. */
function canBeReferenced({ column, guess, override }: DraftColumn): boolean {
  const { type = guess.type, conceal, array } = (override || {}) as Partial<ScalarDefinition> // looked at as one
  return !column.isArray && !conceal && !array && (!isFieldType(type) || canBeKey(fieldTypes[type].family))
}

const isSomethingElse = ({ override }: DraftColumn): boolean =>
  override === false || (override?.type !== undefined && override.type !== 'm2o')

/** True if the same columns lead somewhere already: a field leads to one collection. */
function isKnown(
  { table }: TableDraft,
  { columns, target }: Link,
  own: readonly Link[],
  report: Report,
): boolean {
  const names = columns.map(({ column }) => column.name)
  const known = own.find(
    (link) =>
      link.columns.length === columns.length && columns.every((column) => link.columns.includes(column)),
  )
  if (!known) return false
  if (known.target !== target) {
    const where = `${called(table, names)} ${names.length === 1 ? 'leads' : 'lead'} to ${quote(target.table.name)}`
    report(
      'FOREIGN_KEY_TWICE',
      { table, column: names[0] },
      `${where} too, and a field leads to one collection.`,
    )
  }
  return true
}

/** True for a column in the key that takes its type from what it leads to. */
const isPartOfKey = ({ key }: TableDraft, { columns: [only, ...more] }: Link): boolean =>
  only !== undefined && more.length === 0 && key.includes(only)

/** True if the key of a table is made of that of another, and so on in a cycle. */
function leadsBack(start: TableDraft, first: TableDraft, links: Links): boolean {
  const seen = new Set<TableDraft>()
  const pending = [first]
  for (let draft = pending.pop(); draft; draft = pending.pop()) {
    if (draft === start) return true
    if (seen.has(draft)) continue
    seen.add(draft)
    for (const link of links.get(draft) ?? []) if (isPartOfKey(draft, link)) pending.push(link.target)
  }
  return false
}

/** True if a column takes its type from another, and so on, until itself. */
function returnsToItself(link: Link, links: Links): boolean {
  const [start, ...more] = link.columns
  if (!start || more.length > 0) return false
  const seen = new Set<DraftColumn>()
  for (let next: Link | undefined = link; next; ) {
    const [only, ...others] = referencedBy(next)
    if (!only || others.length > 0 || seen.has(only)) return false
    if (only === start) return true
    seen.add(only)
    next = links.get(next.target)?.find(({ columns }) => columns.length === 1 && columns[0] === only)
  }
  return false
}

function reportCircle({ table, key }: TableDraft, columns: readonly DraftColumn[], report: Report): void {
  const names = columns.map(({ column }) => column.name)
  const says = `${called(table, names)} ${columns.every((of) => key.includes(of)) ? 'is a key that leads' : 'leads'} back to itself, so it is a plain value here.`
  report('CIRCLE_OF_KEYS', { table, column: names[0] }, says)
}

function isOfOneType(draft: TableDraft, link: Link, links: Links, report: Report): boolean {
  const { columns, target, references } = link
  if (columns.length === 1 && !references) return true
  const wanted = referencedBy(link)
  const other = columns.find(
    (of, at) => formOf(draft, of, links, link) !== formOf(target, wanted[at], links, link),
  )
  if (!other) return true
  const { table } = draft
  const names = columns.map(({ column }) => column.name)
  const isOne = names.length === 1
  const whose = references ? 'where the columns have' : 'whose key has'
  const says = `${called(table, names)} ${isOne ? 'leads' : 'lead'} to ${quote(target.table.name)}, ${whose} other types or forms; ${isOne ? 'it is a plain value' : 'they are plain values'} here.`
  report('FOREIGN_KEY_TO_NO_KEY', { table, column: other.column.name }, says, hintsOfType(draft, other))
  return false
}

const hintsOfType = ({ name }: TableDraft, { field }: DraftColumn): Hints => ({
  hint: `Say its type as that of the other with override: { ${JSON.stringify(name)}: { fields: { ${JSON.stringify(field)}: { type: … } } } }.`,
  commandHint: `Say its type as that of the other with --type ${JSON.stringify(`${name}.${field}=…`)}.`,
})

/** The values that a column's field holds, and their form; a relation, but the one in question, has the form of what it holds. */
function formOf(
  draft: TableDraft,
  of: DraftColumn | undefined,
  links: Links,
  besides: Link,
): string | undefined {
  if (!of) return undefined
  const link = links
    .get(draft)
    ?.find((one) => one !== besides && one.columns.length === 1 && one.columns[0] === of)
  if (link) return formOf(link.target, referencedBy(link)[0], links, besides)
  const said: Partial<ScalarDefinition> = { ...of.guess, ...(of.override as Partial<ScalarDefinition>) }
  const { type } = said
  return type !== undefined && isFieldType(type)
    ? `${fieldTypes[type].family} ${storedForm(said.storage)}`
    : undefined
}
