// Relations that the host declares: foreign keys that the database does not have.
import type { CatalogueForeignKey, CatalogueTable } from '../dialects/catalogue.ts'
import { type EngineError, fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import type { Links } from './foreign-keys.ts'
import type { IntrospectOptions } from './introspect-options.ts'
import { refuseMisfit } from './refuse-misfits.ts'
import type { NamedTable, Remark, TableDraft } from './remark.ts'

/** Returns the tables with the declared relations as foreign keys. One takes the place of a foreign key of the same columns. */
export function withRelations(
  tables: readonly NamedTable[],
  { relations = {} }: IntrospectOptions,
): readonly NamedTable[] {
  const declared = Object.entries(relations).map(([from, to]) => declaredKey(tables, from, to))
  return tables.map((named) => {
    const own = declared.flatMap(({ name, key }) => (name === named.name ? [key] : []))
    const others = named.table.foreignKeys.filter(
      ({ columns }) => !own.some((key) => isSame(key.columns, columns)),
    )
    return own.length === 0
      ? named
      : { ...named, table: { ...named.table, foreignKeys: [...own, ...others] } }
  })
}

/** Refuses a declared relation that could not be made: the columns would be plain values without a word. */
export function refuseLostRelations(
  drafts: readonly TableDraft[],
  links: Links,
  { relations = {} }: IntrospectOptions,
  remarks: readonly Remark[],
): void {
  for (const [from, to] of Object.entries(relations)) {
    const [name, columns] = partsOf(from)
    const [targetName, targetColumns] = partsOf(to)
    const draft = drafts.find((one) => one.name === name)
    const target = drafts.find((one) => one.name === targetName)
    const link =
      draft &&
      links.get(draft)?.find((one) => one.target === target && isSame(one.columns.map(nameOf), columns))
    if (!draft || !target || !link) throw lost(from, draft, columns, remarks)
    for (const of of link.columns) {
      const held = target.columns.find((one) => nameOf(one) === targetColumns[columns.indexOf(nameOf(of))])
      if (held) refuseMisfit({ draft, column: of }, { draft: target, column: held }, pathOf(from))
    }
  }
}

interface Declared {
  /** The collection that the relation belongs to. */
  readonly name: string
  readonly key: CatalogueForeignKey
}

function declaredKey(tables: readonly NamedTable[], from: string, to: unknown): Declared {
  if (typeof to !== 'string')
    throw fault('INVALID_OPTIONS', `A relation leads to columns, not to ${quote(to)}.`, {
      path: pathOf(from),
      hint: `Write it as ${example}.`,
    })
  const own = endOf(tables, from, from)
  const target = endOf(tables, to, from)
  if (own.columns.length !== target.columns.length)
    throw fault(
      'INVALID_OPTIONS',
      `A relation has as many columns on both sides, not ${own.columns.length} and ${target.columns.length}.`,
      { path: pathOf(from), hint: `Write it as ${example}.` },
    )
  const { schema, name } = target.table
  const key = {
    columns: own.columns,
    table: { schema, name },
    targetColumns: target.columns,
    onDelete: 'no action',
    ...(own.columns.some((name, at) => areOfTwoCollations(own, name, target, target.columns[at])) && {
      isIncomparable: true as const,
    }),
  }
  return { name: own.name, key }
}

interface RelationEnd {
  readonly name: string
  readonly table: CatalogueTable
  readonly columns: readonly string[]
}

/** True for texts that the database compares by neither collation, as neither is its own. */
function areOfTwoCollations(
  own: RelationEnd,
  name: string,
  target: RelationEnd,
  other: string | undefined,
): boolean {
  const mine = collationOf(own, name)
  const theirs = collationOf(target, other)
  return mine !== undefined && theirs !== undefined && mine !== theirs
}

const collationOf = ({ table }: RelationEnd, name: string | undefined): string | undefined =>
  table.columns.find((column) => column.name === name)?.collation ?? undefined

function endOf(tables: readonly NamedTable[], text: string, from: string): RelationEnd {
  const [name, columns] = partsOf(text)
  const known = tables.find((one) => one.name === name)
  if (!known) {
    const hint = suggestion(
      name,
      tables.map((one) => one.name),
    )
    throw fault('INVALID_OPTIONS', `There is no collection ${quote(name)} for the relation ${quote(text)}.`, {
      path: pathOf(from),
      hint: hint ?? `Write it as ${example}.`,
    })
  }
  const names = known.table.columns.map((column) => column.name)
  const wrong = columns.find((column, at) => !names.includes(column) || columns.indexOf(column) < at)
  if (wrong !== undefined) {
    const says = names.includes(wrong)
      ? `The column ${quote(wrong)} stands twice in the relation ${quote(text)}.`
      : `The table ${quote(known.table.name)} has no column ${quote(wrong)} for the relation ${quote(text)}.`
    throw fault('INVALID_OPTIONS', says, { path: pathOf(from), hint: suggestion(wrong, names) })
  }
  return { name, table: known.table, columns }
}

const example = "'prices.sku': 'products.sku', or 'orders.tenant_id,user_id': 'users.tenant_id,id'"

/** Parses `collection.column,column`. No name of a collection holds a point. */
function partsOf(text: string): readonly [collection: string, columns: readonly string[]] {
  const at = text.indexOf('.')
  return at < 0 ? [text, ['']] : [text.slice(0, at), text.slice(at + 1).split(',')]
}

function lost(
  from: string,
  draft: TableDraft | undefined,
  columns: readonly string[],
  remarks: readonly Remark[],
): EngineError {
  const remark = remarks.find(
    ({ kind, table, column = '' }) =>
      kind === 'skipped' && table === draft?.table.name && columns.includes(column),
  )
  const isOverridden = draft?.columns.some(
    (of) => columns.includes(nameOf(of)) && of.override && of.override.type !== undefined,
  )
  const because = isOverridden ? 'an override says what its columns hold' : 'its columns have no fields here'
  const hints = [remark?.hint, remark?.commandHint].filter((hint) => hint !== undefined)
  return fault(
    'INVALID_OPTIONS',
    `The relation ${quote(from)} cannot be made: ${remark?.message ?? `${because}.`}`,
    { path: pathOf(from), hint: hints.length > 0 ? hints.join(' ') : undefined },
  )
}

const pathOf = (from: string) => ['relations', from]

const nameOf = ({ column }: TableDraft['columns'][number]): string => column.name

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name) => others.includes(name))
