import type { CatalogueColumn, CataloguePhrases, TypeGuess } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import type { FieldDefinition } from '../schema/definition.ts'
import { type Family, familyRow } from '../types/families.ts'
import { fieldTypes } from '../types/field-types.ts'
import type { Link } from './foreign-keys.ts'
import type { FieldOverride } from './introspect-options.ts'
import { called, type DraftColumn, type Drafting, type Report, type TableDraft } from './remark.ts'

export function fieldOf(
  draft: TableDraft,
  of: DraftColumn,
  link: Link | undefined,
  { phrases, report }: Drafting,
): FieldDefinition {
  const { guess, override } = of
  if (link) return overridden(linkField(draft, of, link), override, of)
  reportUnverified(draft, of, guess, report)
  reportUnknown(draft, of, guess, report)
  return overridden(scalarField(draft, of, guess, phrases), override, of)
}

/** Remarks a type that only the database knows, unless the host has overridden it. */
function reportUnknown(
  { table }: TableDraft,
  { column, override }: DraftColumn,
  guess: TypeGuess,
  report: Report,
) {
  if (guess.databaseType === undefined || (typeof override === 'object' && override.type !== undefined))
    return
  const written = guess.readonly ? ', which cannot be written' : ''
  const [held, compared] = column.isArray
    ? ['lists of texts', 'compared as JSON']
    : ['text', guess.type === 'other' ? 'compared for equality' : 'compared with null alone']
  const says = `${called(table, column.name)} is ${quote(column.declared)}, a type that only the database knows: its values are ${held} here${written}, and ${compared}.`
  report('UNKNOWN_TYPE', { table, column: column.name }, says)
}

/** Remarks a doubtful guess, unless the host has overridden it. */
function reportUnverified(
  { table, name }: TableDraft,
  { column, field, override }: DraftColumn,
  guess: TypeGuess,
  report: Report,
) {
  const isSaid = typeof override === 'object' && (override.type !== undefined || 'storage' in override)
  if (guess.doubt === undefined || isSaid) return
  const read = guess.storage === undefined ? guess.type : `${guess.type} in ${guess.storage}`
  const declared = column.declared === '' ? 'has no declared type' : `is declared ${quote(column.declared)}`
  const says = `${called(table, column.name)} ${declared} and taken for ${quote(read)}: ${guess.doubt}.`
  const canonicalHint =
    guess.check &&
    ` Its first rows all have the form of results: with "${guess.check}" in its table it is read as storage: 'canonical', the fastest form.`
  const hint = `Say what it is with override: { ${JSON.stringify(name)}: { fields: { ${JSON.stringify(field)}: { type: … } } } }.${canonicalHint ?? ''}`
  const commandHint = `Say what it is with --type ${JSON.stringify(`${name}.${field}=…`)}.${canonicalHint ?? ''}`
  report('TYPE_GUESSED', { table, column: column.name }, says, { hint, commandHint })
}

/** Returns a definition with the given options; undefined ones are left out. */
function definitionOf(options: Readonly<Record<string, unknown>>): FieldDefinition {
  const said: Record<string, unknown> = {}
  for (const name of Object.keys(options)) if (options[name] !== undefined) said[name] = options[name]
  // Built from facts of the catalogue, and checked with the whole schema.
  return said as unknown as FieldDefinition
}

function linkField(draft: TableDraft, of: DraftColumn, { target, references }: Link): FieldDefinition {
  const { column } = of
  const isReadonly = column.source === 'database' || !draft.table.isWritable
  const isFilled = column.source !== 'caller' && !isWholeKey(draft, of)
  return definitionOf({
    type: 'm2o',
    to: target.name,
    references: references?.[0]?.field,
    ...storedOptions(draft, of),
    defaulted: flag(isFilled),
    column: columnName(of),
    readonly: flag(isReadonly),
    note: column.note ?? undefined,
  })
}

function scalarField(
  draft: TableDraft,
  of: DraftColumn,
  guess: TypeGuess,
  phrases: CataloguePhrases,
): FieldDefinition {
  const { column } = of
  const { family } = fieldTypes[guess.type]
  const { values, enumType } = guess.databaseType === undefined ? labelsOf(column) : {}
  const isComputed = column.source === 'database'
  const start: { readonly default?: unknown } = startOf(draft, of, guess, phrases)
  return definitionOf({
    type: guess.type,
    ...storedOptions(draft, of),
    ...start,
    column: columnName(of),
    storage: guess.storage,
    encoding: guess.type === 'binary' && isOfKeys(draft, of) ? 'hex' : undefined,
    indexed: flag(isIndexed(draft, of)),
    ...sizesOf(column, family),
    values,
    enumType,
    databaseType: guess.databaseType,
    array: flag(column.isArray),
    generated: flag(isComputed),
    rowNumber: flag(of.isRowNumber === true),
    readonly: flag((!draft.table.isWritable || guess.readonly === true) && !isComputed),
    srid: guess.srid,
    wide: flag(
      guess.type === 'integer' && !draft.key.includes(of) && (guess.wide === true || isWide(start.default)),
    ),
    note: column.note ?? undefined,
  })
}

const flag = (claim: boolean): true | undefined => (claim ? true : undefined)

const isWholeKey = ({ key }: TableDraft, of: DraftColumn): boolean => key.length === 1 && key[0] === of

/** True if a column is a part of a key, or of a reference to one. */
const isOfKeys = ({ table, key }: TableDraft, of: DraftColumn): boolean =>
  key.includes(of) ||
  [table.primaryKey, ...table.foreignKeys.map(({ columns }) => columns)].some((names) =>
    names.includes(of.column.name),
  )

const columnName = ({ column, field }: DraftColumn) => (column.name === field ? undefined : column.name)

/** True if an index begins with a column, and it does not say so by being unique. */
const isIndexed = (draft: TableDraft, of: DraftColumn): boolean =>
  draft.table.indexed?.includes(of.column.name) === true && !isAlone(draft, of) && draft.key[0] !== of

const isAlone = ({ table: { primaryKey, uniqueKeys } }: TableDraft, { column }: DraftColumn): boolean =>
  [primaryKey, ...uniqueKeys].some(([name, more]) => name === column.name && more === undefined)

function storedOptions(draft: TableDraft, of: DraftColumn) {
  const { column } = of
  const key = isWholeKey(draft, of)
  return {
    key: flag(key),
    nullable: flag(column.isNullable && !draft.key.includes(of)),
    unique: flag(isAlone(draft, of) && !key),
  }
}

/** Returns the default of a field. A constant becomes a part of the schema, so that readers of the schema know it. */
function startOf(draft: TableDraft, of: DraftColumn, { type }: TypeGuess, phrases: CataloguePhrases) {
  const { column } = of
  if (column.source === 'caller' || column.source === 'database') return {}
  if (column.source === 'counter') return { defaulted: flag(!isWholeKey(draft, of)) }
  const constant = column.default === null ? undefined : phrases.constant(column.default)
  const read =
    column.isArray || type === 'bigInteger' ? undefined : familyRow(fieldTypes[type].family).constant
  const value = constant === undefined ? undefined : read?.(constant)
  return value === undefined ? { defaulted: true } : { default: value }
}

/** True if a default takes more than 32 bits. */
const isWide = (input: unknown): boolean => typeof input === 'number' && (input | 0) !== input

/** Returns the sizes that the database enforces itself. */
function sizesOf({ length, precision, scale, isArray }: CatalogueColumn, family: Family) {
  if (isArray) return {}
  if (family === 'text') return { length: length ?? undefined }
  const isPlain = precision !== null && (scale ?? 0) >= 0 && (scale ?? 0) <= precision
  return family === 'decimal' && isPlain ? { precision, scale: scale ?? undefined } : {}
}

/** Returns the values of an enum. A list of them is compared as JSON, which has no enums. */
function labelsOf({ enum: labels, isArray }: CatalogueColumn) {
  if (!labels) return {}
  const { schema, name, isVisible, values } = labels
  return { values, enumType: isArray ? undefined : isVisible ? name : `${schema}.${name}` }
}

/** Returns a field with the host's overrides. With another type it keeps the facts about its column. */
export function overridden(
  field: FieldDefinition,
  override: FieldOverride | undefined,
  of?: DraftColumn,
): FieldDefinition {
  if (!override) return field
  if (override.type === undefined || override.type === field.type)
    return definitionOf({ ...field, ...override })
  const kept = Object.entries(field).filter(([option]) => keptOptions.has(option))
  const isAny = override.type === 'any'
  const isFilled = 'default' in field || of?.column.source === 'default'
  return definitionOf({
    ...Object.fromEntries(isAny ? kept.filter(([option]) => optionsOfAny.has(option)) : kept),
    ...(isFilled && !isAny && { defaulted: true }),
    ...override,
  })
}

const optionsOfAny: ReadonlySet<string> = new Set(['nullable', 'column', 'note'])
const keptOptions: ReadonlySet<string> = new Set([
  ...optionsOfAny,
  'key',
  'unique',
  'indexed',
  'readonly',
  'defaulted',
])
