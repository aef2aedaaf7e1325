// What a filter says of a row, written from the documentation of filters for the few tables of this folder.

export type Value = null | number | string | boolean
export type Row = Readonly<Record<string, Value>>
export type Filter = Readonly<Record<string, unknown>>
export type TableName = 'teams' | 'memberships' | 'people' | 'notes'
export type Tables = Readonly<Record<TableName, readonly Row[]>>

/** Values of variables; what is not in here has none. */
export type Variables = Readonly<Record<string, Value>>

type Relation =
  | { readonly kind: 'one'; readonly to: TableName }
  | { readonly kind: 'many'; readonly from: TableName; readonly by: string }

const relations: Readonly<Record<TableName, Readonly<Record<string, Relation>>>> = {
  teams: { members: { kind: 'many', from: 'memberships', by: 'team' } },
  memberships: { team: { kind: 'one', to: 'teams' }, person: { kind: 'one', to: 'people' } },
  people: { team: { kind: 'one', to: 'teams' }, notes: { kind: 'many', from: 'notes', by: 'author' } },
  notes: { author: { kind: 'one', to: 'people' }, team: { kind: 'one', to: 'teams' } },
}

const follow = /^\$FOLLOW\((\w+), (\w+)\)$/

const relationOf = (table: TableName, name: string): Relation | undefined => {
  const [, from, by] = follow.exec(name) ?? []
  if (from !== undefined && by !== undefined) return { kind: 'many', from: from as TableName, by } // names of this folder only
  return relations[table][name]
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** True if a variable stands anywhere in it. */
export const namesVariable = (part: unknown): boolean =>
  typeof part === 'string'
    ? part.startsWith('$')
    : typeof part === 'object' && part !== null && Object.values(part).some(namesVariable)

/** Values in the place of variables. Undefined where a variable without value denies all of it: that leaves a branch of `_or` out. */
export function bound(filter: Filter, variables: Variables): Filter | undefined {
  const entries: [string, unknown][] = []
  for (const [name, part] of Object.entries(filter)) {
    const value =
      name === '_or'
        ? listOf(part).flatMap((branch) => boundPart(branch, variables) ?? [])
        : boundPart(part, variables)
    if (value === undefined || (name === '_or' && listOf(value).length === 0)) return undefined
    entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

function boundPart(part: unknown, variables: Variables): unknown {
  if (typeof part === 'string' && part.startsWith('$')) return variables[part] ?? undefined
  if (Array.isArray(part)) {
    const all = part.map((one) => boundPart(one, variables))
    return all.includes(undefined) ? undefined : all
  }
  return isRecord(part) ? bound(part, variables) : part
}

/** Whether a row matches a filter without variables. A row that is not there has no values, no children and no number of them. */
export function matches(filter: Filter, tables: Tables, table: TableName, row: Row | undefined): boolean {
  return failures(filter, tables, table, row).length === 0
}

/** The names of the fields whose conditions fail; of an `_or` those of all branches. */
export function failures(
  filter: Filter,
  tables: Tables,
  table: TableName,
  row: Row | undefined,
): readonly string[] {
  return Object.entries(filter).flatMap(([name, part]) => {
    const branches = () => listOf(part).map((branch) => failures(branch as Filter, tables, table, row))
    if (name === '_and') return branches().flat()
    if (name === '_or') return branches().some((failed) => failed.length === 0) ? [] : branches().flat()
    return holdsAt(name, part, tables, table, row) ? [] : [name]
  })
}

function holdsAt(
  name: string,
  part: unknown,
  tables: Tables,
  table: TableName,
  row: Row | undefined,
): boolean {
  const [, counted] = /^count\((\w+)\)$/.exec(name) ?? []
  const relation = relationOf(table, counted ?? name)
  if (relation?.kind === 'many') {
    const children =
      row === undefined ? [] : tables[relation.from].filter((one) => one[relation.by] === row.id)
    return counted === undefined
      ? holdsOfMany(part, children, (filter, child) => matches(filter, tables, relation.from, child))
      : compares(part, row === undefined ? null : children.length)
  }
  const value = row?.[name] ?? null
  if (relation === undefined || !isRecord(part) || Object.keys(part).some((key) => key.startsWith('_')))
    return compares(part, value)
  return matches(
    part,
    tables,
    relation.to,
    tables[relation.to].find(({ id }) => id === value),
  )
}

function holdsOfMany(
  part: unknown,
  children: readonly Row[],
  isMet: (filter: Filter, child: Row) => boolean,
): boolean {
  if (!isRecord(part)) return children.some(({ id }) => id === part)
  const { _some, _none, _null, ...plain } = part
  if (isRecord(_some) && !children.some((child) => isMet(_some, child))) return false
  if (isRecord(_none) && children.some((child) => isMet(_none, child))) return false
  if (_null !== undefined && (children.length === 0) !== _null) return false
  return Object.keys(plain).length === 0 || children.some((child) => isMet(plain, child))
}

type Test = (value: Exclude<Value, null>, operand: unknown) => boolean

/** Of values that are there: nothing but `_null` and `_empty` is true of null. */
const tests: Readonly<Record<string, Test>> = {
  _eq: (value, operand) => order(value, operand) === 0,
  _neq: (value, operand) => order(value, operand) !== 0,
  _gt: (value, operand) => order(value, operand) > 0,
  _gte: (value, operand) => order(value, operand) >= 0,
  _lt: (value, operand) => order(value, operand) < 0,
  _lte: (value, operand) => order(value, operand) <= 0,
  _in: (value, operand) => listOf(operand).some((one) => order(value, one) === 0),
  _nin: (value, operand) => !listOf(operand).some((one) => order(value, one) === 0),
  _between: (value, operand) => {
    const [least, most] = listOf(operand)
    return order(value, least) >= 0 && order(value, most) <= 0
  },
  _contains: (value, operand) => String(value).includes(String(operand)),
  _starts_with: (value, operand) => String(value).startsWith(String(operand)),
  _icontains: (value, operand) => String(value).toLowerCase().includes(String(operand).toLowerCase()),
  _nempty: (value) => value !== '' && value !== 0 && value !== false,
}

function compares(part: unknown, value: Value): boolean {
  if (part === null) return value === null
  if (!isRecord(part)) return value !== null && order(value, part) === 0
  return Object.entries(part).every(([name, operand]) => {
    if (name === '_or') return listOf(operand).some((one) => compares(one, value))
    if (name === '_and') return listOf(operand).every((one) => compares(one, value))
    if (name === '_null') return (value === null) === operand
    if (name === '_nnull') return (value !== null) === operand
    if (name === '_empty') return (value === null || !tests._nempty?.(value, true)) === operand
    const test = tests[name]
    if (test === undefined) throw new Error(`no operator ${name}`)
    return value !== null && test(value, operand)
  })
}

/** Numbers by size, amounts of money among them, and texts by code point. */
function order(value: Exclude<Value, null>, operand: unknown): number {
  const [one, other] = typeof value === 'string' ? [value, String(operand)] : [Number(value), Number(operand)]
  return one < other ? -1 : one > other ? 1 : 0
}

/** Fields that a filter names, as `notes.state`; with those of the relations that it follows, if it is asked for them. */
export function namesIn(filter: unknown, table: TableName): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (part: unknown, at: TableName): void => {
    if (Array.isArray(part)) for (const one of part) visit(one, at)
    if (!isRecord(part)) return
    for (const [name, inner] of Object.entries(part)) {
      const [, counted] = /^count\((\w+)\)$/.exec(name) ?? []
      const relation = relationOf(at, counted ?? name)
      if (name.startsWith('_')) visit(inner, at)
      else if (relation?.kind === 'many') {
        found.add(`${relation.from}.${relation.by}`)
        visit(inner, relation.from)
      } else {
        found.add(`${at}.${name}`)
        if (relation !== undefined) visit(inner, relation.to)
      }
    }
  }
  visit(filter, table)
  return found
}

/** True if a filter says something of related rows. */
export const followsRelations = (filter: unknown, table: TableName): boolean =>
  Array.isArray(filter)
    ? filter.some((one) => followsRelations(one, table))
    : isRecord(filter) &&
      Object.entries(filter).some(([name, part]) => {
        if (name === '_and' || name === '_or') return followsRelations(part, table)
        const relation = relationOf(table, name)
        const isOfKey = !isRecord(part) || Object.keys(part).every((key) => key.startsWith('_'))
        return relation !== undefined && (relation.kind === 'many' || !isOfKey)
      })
