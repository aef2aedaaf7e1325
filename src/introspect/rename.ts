import type { CatalogueTable } from '../dialects/catalogue.ts'
import { fault, quote } from '../errors/errors.ts'
import type { IntrospectOptions, Renamed } from './introspect-options.ts'

/** Returns the host's name. Undefined if it keeps the default. */
export function wishFor({ rename }: IntrospectOptions, name: Renamed): string | undefined {
  if (typeof rename === 'function') return rename(name)
  const path = name.field === undefined ? name.table : `${name.table}.${name.field}`
  return rename && Object.hasOwn(rename, path) ? rename[path] : undefined
}

/** Refuses new names for parts that do not exist: the name is a mistake. A renamed relation already has its new name here. */
export function refuseIdleNames(
  { rename = {} }: IntrospectOptions,
  tables: readonly CatalogueTable[],
  isRelation: (table: string, name: string) => boolean,
): void {
  if (typeof rename === 'function') return
  const known = new Set(
    tables.flatMap((table) => [table.name, ...table.columns.map(({ name }) => `${table.name}.${name}`)]),
  )
  const owner = (path: string) => tables.find(({ name }) => path.startsWith(`${name}.`))?.name
  const idle = Object.entries(rename).find(
    ([path, name]) => !known.has(path) && !isRelation(owner(path) ?? '', name),
  )
  if (!idle) return
  throw fault('INVALID_OPTIONS', `There is nothing called ${quote(idle[0])} to be renamed.`, {
    path: ['rename', idle[0]],
  })
}
