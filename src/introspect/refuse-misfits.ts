// Relations that a host adds by overriding a column, whose type cannot hold the key that they lead to.
import type { TypeGuess } from '../dialects/catalogue.ts'
import { type EngineError, fault, type Path, quote } from '../errors/errors.ts'
import { nearest } from '../errors/suggest.ts'
import { isTemporal } from '../types/families.ts'
import { fieldTypes } from '../types/field-types.ts'
import type { DraftColumn, TableDraft } from './remark.ts'

/** Refuses relations of which the column cannot hold the key of their target, or what it refers to there: nothing could ever be found by it. */
export function refuseMisfits(drafts: readonly TableDraft[]): void {
  for (const draft of drafts)
    for (const of of draft.columns) {
      const target = drafts.find(({ name }) => name === targetOf(of))
      if (!target || isDeclared(draft, of)) continue
      const held = heldBy(of, target)
      const path = ['override', draft.name, 'fields', of.field]
      if (held) refuseMisfit({ draft, column: of }, { draft: target, column: held }, path)
    }
}

/** Refuses a relation of which the column cannot hold the values of a column of its target. */
export function refuseMisfit(from: ColumnOfDraft, to: ColumnOfDraft, path: Path): void {
  if (!canHold(from.column, to.column)) throw misfit(from, to, path)
}

interface ColumnOfDraft {
  readonly draft: TableDraft
  readonly column: DraftColumn
}

/** Returns the column of the target whose values an override puts into a column; undefined where the key has several. */
function heldBy({ override }: DraftColumn, { key, columns }: TableDraft): DraftColumn | undefined {
  const references = override && 'references' in override ? override.references : undefined
  if (references !== undefined) return columns.find(({ field }) => field === references)
  return key.length === 1 ? key[0] : undefined
}

function targetOf({ override }: DraftColumn): unknown {
  return override && override.type === 'm2o' && !('by' in override) ? override.to : undefined
}

/** True if the database itself says that the column leads somewhere. */
const isDeclared = ({ table }: TableDraft, { column }: DraftColumn): boolean =>
  table.foreignKeys.some(({ columns }) => columns.length === 1 && columns[0] === column.name)

/** True if values of one column can be those of another, if both types are known: a doubtful type may hold anything. */
function canHold({ column, guess }: DraftColumn, key: DraftColumn): boolean {
  if (isDoubtful(guess) || isDoubtful(key.guess)) return true
  return formOf(guess, column.isArray) === formOf(key.guess, key.column.isArray) && sameNames({ column }, key)
}

const isDoubtful = ({ doubt, storage }: TypeGuess) => doubt !== undefined && storage !== 'mixed'

function formOf({ type, storage }: TypeGuess, isArray: boolean): string {
  const { family } = fieldTypes[type]
  const isNumber = family === 'integer' || family === 'float' || family === 'decimal'
  const isStored = family === 'uuid' || isTemporal(family)
  return `${isNumber ? 'number' : family} ${(isStored && storage) || ''} ${isArray}`
}

/** True if an enum, or a type that only the database knows, is the same. */
const sameNames = ({ column }: Pick<DraftColumn, 'column'>, key: DraftColumn): boolean =>
  column.enum?.name === key.column.enum?.name && column.enum?.schema === key.column.enum?.schema

function misfit(from: ColumnOfDraft, to: ColumnOfDraft, path: Path): EngineError {
  const { draft, column: of } = from
  const { draft: target, column: key } = to
  const held = target.key.includes(key) ? 'the key ' : ''
  const says = `${quote(of.field)} of ${quote(draft.name)} is of the type ${quote(typeOf(of))}, and cannot hold ${held}${quote(key.field)} of ${quote(target.name)}, which is of the type ${quote(typeOf(key))}.`
  return fault('INVALID_OPTIONS', says, { path, hint: hintFor(from, to) })
}

const typeOf = ({ column, guess }: DraftColumn): string =>
  column.declared === '' ? guess.type : column.declared.toLowerCase()

function hintFor(
  { draft, column: of }: ColumnOfDraft,
  { draft: target, column: key }: ColumnOfDraft,
): string {
  const fit = draft.columns
    .filter((one) => one !== of && canBeRelation(draft, one) && canHold(one, key))
    .map(({ field }) => field)
  const wanted = `${target.name}_${key.field}`
  const only = fit.length === 1 ? fit[0] : undefined
  const near = fit.find((name) => name.includes(target.name)) ?? nearest(wanted, fit) ?? only
  if (near !== undefined) return `The column ${quote(near)} of ${quote(draft.name)} would do.`
  const twin = target.columns.find((one) => isUnique(target, one) && canHold(of, one))
  const needed = `It needs a column of the type ${quote(typeOf(key))}.`
  return twin
    ? `${quote(twin.field)} of ${quote(target.name)} is unique and of its type, but not the key: refer to it with references: ${quote(twin.field)}, or with --relation ${quote(`${draft.name}.${of.column.name}=${target.name}.${twin.column.name}`)}.`
    : needed
}

/** True for a plain column that is no key, and leads nowhere. */
const canBeRelation = (draft: TableDraft, of: DraftColumn): boolean =>
  !draft.key.includes(of) && !isDeclared(draft, of) && targetOf(of) === undefined && !isDoubtful(of.guess)

const isUnique = ({ table }: TableDraft, { column }: DraftColumn): boolean =>
  table.uniqueKeys.some(([name, more]) => name === column.name && more === undefined)
