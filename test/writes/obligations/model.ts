// A write of one note as the documentation tells it: what has to hold is judged one thing after the other, over rows in memory. Nothing of the
// engine is used here, and nothing was looked up in its source.
import {
  bound,
  type Filter,
  failures,
  followsRelations,
  isRecord,
  matches,
  namesIn,
  namesVariable,
  type Row,
  type TableName,
  type Tables,
  type Value,
  type Variables,
} from './filter.ts'

type Data = Readonly<Record<string, unknown>>
export type Action = 'create' | 'read' | 'update' | 'delete'

export interface Rule {
  readonly fields?: readonly string[]
  readonly filter?: Filter
  readonly validation?: Filter
  readonly presets?: Data
}

/** Somebody who writes. Without rules, everything is allowed. */
export interface Caller {
  readonly user?: number | null
  readonly variables?: Data
  readonly rules?: Readonly<Record<TableName, Readonly<Partial<Record<Action, readonly Rule[]>>>>>
}

export interface Facts {
  /** What creations fill in, and those of them that the schema does, not the database. */
  readonly defaults: Row
  readonly described: readonly string[]
  /** Fields that are never null. */
  readonly needed: readonly string[]
  /** Filters that the schema has for written fields. */
  readonly validations: Readonly<Record<string, Filter>>
  /** References that are foreign keys of the database. */
  readonly keys: readonly string[]
  /** What a trigger makes of a row, before it is stored or behind that. */
  readonly trigger?: {
    readonly isBefore: boolean
    readonly when: readonly [string, Value]
    readonly set: readonly [string, Value]
  }
}

export type Write = { readonly fields?: readonly string[] } & (
  | { readonly verb: 'create'; readonly data: Data }
  | { readonly verb: 'update'; readonly key: number; readonly data: Data }
  | { readonly verb: 'delete'; readonly key: number }
  | { readonly verb: 'upsert'; readonly data: Data; readonly on: 'id' | 'code' }
)

/** Something that has to hold and does not, with the field that it is about. */
export interface Refusal {
  readonly kind: Kind
  readonly code: string
  readonly path: string
}

const codes = {
  closed: 'NOT_FOUND',
  action: 'FORBIDDEN',
  field: 'FORBIDDEN',
  shape: 'INVALID_PAYLOAD',
  value: 'FAILED_VALIDATION',
  missing: 'NOT_FOUND',
  rule: 'FORBIDDEN',
  sum: 'FORBIDDEN',
  validation: 'FAILED_VALIDATION',
  range: 'VALUE_OUT_OF_RANGE',
  schema: 'FAILED_VALIDATION',
  reference: 'INVALID_FOREIGN_KEY',
  unique: 'RECORD_NOT_UNIQUE',
  key: 'INVALID_FOREIGN_KEY',
} as const
type Kind = keyof typeof codes

/** What a write comes to: an answer and rows, or errors in the order in which they are told. */
export type Outcome =
  | { readonly answer: unknown; readonly tables: Tables }
  | {
      readonly refusals: readonly Refusal[]
      /** True if no rule alone allows the write, and the parts of several would. */
      readonly isMixed: boolean
    }

export const noteFields = ['id', 'author', 'team', 'state', 'views', 'done', 'price', 'at', 'code'] as const
const references: Readonly<Record<string, TableName>> = { author: 'people', team: 'teams' }
export const now = '2026-05-01T08:00:00'
const yesterday = '2026-04-30T08:00:00'

export interface World {
  readonly tables: Tables
  readonly facts: Facts
  readonly caller: Caller
}

/** What a write comes to. A new note without a key gets the given one. */
export function judge(world: World, write: Write, newKey: number): Outcome {
  const judging = new Judging(world)
  const { row, tables } = judging.write(write, newKey)
  const { refusals, isMixed } = judging
  if (refusals.length > 0) return { refusals, isMixed }
  return {
    tables,
    answer: row === undefined ? null : new Judging({ ...world, tables }).shown(row, write.fields),
  }
}

/** What a rule makes of the row, and the fields that the write names, presets and the schema's defaults among them. */
interface Candidate {
  readonly named: ReadonlySet<string>
  /** The row as it is given to the database, and as that stores it. */
  readonly written: Row
  readonly row: Row
  readonly tables: Tables
}

interface Done {
  readonly row?: Row
  readonly tables: Tables
}

class Judging {
  readonly refusals: Refusal[] = []
  isMixed = false
  readonly #tables: Tables
  readonly #facts: Facts
  readonly #caller: Caller
  readonly #variables: Variables

  constructor({ tables, facts, caller }: World) {
    this.#tables = tables
    this.#facts = facts
    this.#caller = caller
    const user = (caller.rules && caller.user) ?? null
    const person = tables.people.find(({ id }) => id === user)
    this.#variables = {
      $NOW: now,
      '$NOW(-1 day)': yesterday,
      $CURRENT_USER: user,
      '$CURRENT_USER.team': person?.team ?? null,
      '$CURRENT_USER.name': person?.name ?? null,
      ...(caller.variables as Row | undefined), // plain values, as they are drawn
    }
  }

  write(write: Write, newKey: number): Done {
    if (write.verb === 'create') return this.#create(write.data, newKey)
    if (write.verb === 'update') return this.#update(write.key, write.data)
    if (write.verb === 'delete') return this.#delete(write.key)
    return this.#upsert(write.data, write.on, newKey)
  }

  /** What the caller is shown of a row: null where it is hidden. */
  shown(row: Row, fields?: readonly string[]): Data | null {
    const seen = this.#seen('notes', row)
    if (seen === undefined) return null
    const somewhere = this.#namedBy(this.#rules('notes', 'read'))
    const names = fields ?? noteFields.filter((name) => somewhere.has(name))
    return Object.fromEntries(
      names.map((name) => {
        const value = seen.has(name) ? (row[name] ?? null) : null
        return [name, name === 'price' && value !== null ? Number(value).toFixed(2) : value]
      }),
    )
  }

  #refuse(kind: Kind, ...paths: readonly string[]): Done {
    for (const path of paths.length === 0 ? [''] : paths)
      this.refusals.push({ kind, code: codes[kind], path })
    return { tables: this.#tables }
  }

  #create(data: Data, newKey: number): Done {
    const rules = this.#rules('notes', 'create')
    if (rules?.length === 0) return this.#refuse(this.#isClosed ? 'closed' : 'action')
    this.#checkPayload(data, rules, 'create')
    const empty = Object.fromEntries(noteFields.map((name) => [name, this.#facts.defaults[name] ?? null]))
    return this.#judged(rules, data, { ...empty, id: newKey }, undefined)
  }

  #update(key: number, data: Data): Done {
    const rules = this.#rules('notes', 'update')
    if (this.#isClosed) return this.#refuse('closed')
    if (rules?.length === 0) return this.#refuse('action')
    this.#checkPayload(data, rules, 'update')
    const old = this.#found(key)
    return old === undefined ? this.#refuse('missing') : this.#judged(rules, data, old, old)
  }

  #delete(key: number): Done {
    const rules = this.#rules('notes', 'delete')
    if (this.#isClosed) return this.#refuse('closed')
    if (rules?.length === 0) return this.#refuse('action')
    const old = this.#found(key)
    if (old === undefined) return this.#refuse('missing')
    const isAllowed = rules?.some(({ filter }) => this.#holds(filter, 'notes', old)) ?? true
    if (!isAllowed) return this.#refuse('rule')
    return { tables: this.#with(this.#tables.notes.filter((row) => row !== old)) }
  }

  #upsert(data: Data, on: 'id' | 'code', newKey: number): Done {
    if (!this.#namedBy(this.#rules('notes', 'read')).has(on))
      return this.#refuse(
        this.#isClosed && this.#rules('notes', 'create')?.length === 0 ? 'closed' : 'action',
      )
    const old = this.#tables.notes.find((row) => row[on] === data[on])
    // A row that is hidden is refused as creating it again is.
    if (old === undefined || this.#seen('notes', old)?.has(on) !== true) return this.#create(data, newKey)
    const { [on]: _on, ...rest } = data
    const rules = this.#rules('notes', 'update')
    if ('id' in rest && rest.id !== old.id) this.#refuse('shape', 'id')
    if (rules?.length === 0) return this.#refuse('action')
    const { id: _id, ...changed } = rest
    this.#checkPayload(changed, rules, 'update')
    return this.#judged(rules, changed, old, old)
  }

  /** Rules of the caller; undefined if everything is allowed. */
  #rules(table: TableName, action: Action): readonly Rule[] | undefined {
    const { rules } = this.#caller
    return rules && (rules[table][action] ?? [])
  }

  /** True if the caller reads nothing of notes. */
  get #isClosed(): boolean {
    return this.#rules('notes', 'read')?.length === 0
  }

  #found(key: number): Row | undefined {
    const row = this.#tables.notes.find(({ id }) => id === key)
    return row && this.#seen('notes', row) && row
  }

  /** The fields of a row that its reader sees; undefined if the row is hidden. */
  #seen(table: TableName, row: Row): ReadonlySet<string> | undefined {
    const allowing = this.#rules(table, 'read')?.filter(({ filter }) => this.#holds(filter, table, row))
    return allowing?.length === 0 ? undefined : this.#namedBy(allowing)
  }

  #namedBy(rules: readonly Rule[] | undefined): ReadonlySet<string> {
    return new Set(rules === undefined ? noteFields : rules.flatMap(({ fields }) => fields ?? noteFields))
  }

  #holds(filter: Filter | undefined, table: TableName, row: Row, tables = this.#tables): boolean {
    const condition = bound(filter ?? {}, this.#variables)
    return condition !== undefined && matches(condition, tables, table, row)
  }

  /** Problems that are seen without the row: all of them together. */
  #checkPayload(data: Data, rules: readonly Rule[] | undefined, action: 'create' | 'update'): void {
    const allowed = this.#namedBy(rules)
    const isNeeded = (name: string) => this.#facts.needed.includes(name)
    for (const [name, value] of Object.entries(data)) {
      if (!allowed.has(name)) this.#refuse('field', name)
      else if (isRecord(value) && action === 'create') this.#refuse('shape', name)
      else if (value === 'many' && name === 'views') this.#refuse('value', name)
      else if (value === null && isNeeded(name)) this.#refuse('value', name)
      else if (!bound(this.#facts.validations[name] ?? {}, this.#variables)) this.#refuse('value', name)
      else if (!isRecord(value) && this.#isOfValues(name) && !this.#isValid(name, { [name]: value as Value }))
        this.#refuse('value', name)
    }
    for (const name of action === 'create' ? this.#facts.needed : []) {
      const isPreset = rules?.some(({ presets = {} }) => name in presets)
      if (name in data || this.#facts.defaults[name] !== undefined || isPreset) continue
      this.#refuse('value', name)
      // Whoever may not write it can create nothing.
      if (!allowed.has(name)) this.#refuse('rule')
    }
  }

  /** Judges what each rule makes of the row. The first that allows all of it decides. */
  #judged(rules: readonly Rule[] | undefined, data: Data, base: Row, old: Row | undefined): Done {
    const hidden = Object.keys(data).filter(
      (name) => isRecord(data[name]) && !(old && this.#seen('notes', old)?.has(name)),
    )
    const candidates: Candidate[] = []
    const alone = rules && this.#allowed(rules, data, base, old, candidates)
    if (hidden.length > 0 && old) this.#refuse('sum', ...hidden)
    const done = alone ?? this.#candidate({}, data, base, old)
    // Where no rule allows the write, what is wrong besides may be told of what any makes of it.
    for (const candidate of alone ? [alone] : [done, ...candidates]) {
      for (const name of this.#facts.needed)
        if (candidate.row[name] === null && !(name in data)) this.#refuse('value', name)
      if (Math.abs(Number(candidate.row.views)) > 2 ** 31 - 1) this.#refuse('range', 'views')
      this.#checkValidations(candidate)
      this.#checkReferences(candidate.row, old, data)
      this.#checkConstraints(candidate.row, old)
    }
    return done
  }

  /** What the first rule makes of the row that alone allows all of the write. */
  #allowed(
    rules: readonly Rule[],
    data: Data,
    base: Row,
    old: Row | undefined,
    candidates: Candidate[],
  ): Candidate | undefined {
    const parts = { isFielded: false, isFiltered: false, isValid: false }
    const refusals: (() => void)[] = []
    for (const rule of rules) {
      const presets = Object.entries(rule.presets ?? {}).filter(([name]) => !(name in data))
      const filled = bound(Object.fromEntries(presets), this.#variables)
      const candidate = this.#candidate(filled ?? {}, data, base, old)
      candidates.push(candidate)
      const isFielded = Object.keys(data).every((name) => (rule.fields ?? noteFields).includes(name))
      const isMet = old
        ? this.#holds(rule.filter, 'notes', old)
        : this.#holds(rule.filter, 'notes', candidate.row, candidate.tables)
      const isFiltered = isMet && filled !== undefined
      const problems = this.#invalid(rule, candidate, old)
      if (isFielded && isFiltered && problems.length === 0) return candidate
      if (!isFiltered || !isFielded) refusals.push(() => this.#refuse('rule'))
      // The row after the write is no matter of a rule that does not allow the row before it.
      if (problems.length > 0 && isFielded && (isFiltered || !old))
        refusals.push(() => this.#refuse('validation', ...problems))
      parts.isFielded ||= isFielded
      parts.isFiltered ||= isFiltered
      parts.isValid ||= problems.length === 0
    }
    for (const refuse of refusals) refuse()
    this.isMixed = parts.isFielded && parts.isFiltered && parts.isValid
    return undefined
  }

  /** The fields by which a row does not pass the validation of a rule, as far as the caller knows them. */
  #invalid(
    { validation, fields = noteFields }: Rule,
    candidate: Candidate,
    old: Row | undefined,
  ): readonly string[] {
    const { written, row, tables } = candidate
    if (validation === undefined) return []
    const names = namesIn(validation, 'notes')
    const isChanged = noteFields.some(
      (name) => names.has(`notes.${name}`) && !(old?.[name] === row[name] && row[name] === written[name]),
    )
    if (old && !isChanged && !namesVariable(validation)) return []
    const condition = bound(validation, this.#variables)
    if (condition === undefined) return ['']
    const early =
      this.#isKnown(names, namesVariable(validation), candidate, old) &&
      !followsRelations(validation, 'notes')
    const failed = new Set([
      ...(early ? failures(condition, tables, 'notes', written) : []),
      ...failures(condition, tables, 'notes', row),
    ])
    const known = new Set([...this.#namedBy(this.#rules('notes', 'read')), ...fields])
    const told = [...failed].filter((name) => known.has(name))
    return failed.size > 0 && told.length === 0 ? [''] : told
  }

  /** True if values that are given decide a validation of columns, which is then said of them, too, whatever a trigger makes of them. */
  #isKnown(
    names: ReadonlySet<string>,
    isAsked: boolean,
    { named, written }: Candidate,
    old: Row | undefined,
  ): boolean {
    const columns = noteFields.filter((name) => names.has(`notes.${name}`))
    if (old) return isAsked || columns.some((name) => named.has(name) && old[name] !== written[name])
    return columns.every((name) => named.has(name) || this.#facts.defaults[name] === undefined)
  }

  #candidate(presets: Data, data: Data, base: Row, old: Row | undefined): Candidate {
    const entries = Object.entries({ ...presets, ...data })
    const written: Row = {
      ...base,
      ...Object.fromEntries(
        entries.map(([name, value]) => [name, this.#cast(name, value, base[name] ?? null)]),
      ),
    }
    const { trigger } = this.#facts
    const isTriggered = trigger !== undefined && written[trigger.when[0]] === trigger.when[1]
    const row = isTriggered ? { ...written, [trigger.set[0]]: trigger.set[1] } : written
    const { notes } = this.#tables
    const named = new Set([...entries.map(([name]) => name), ...(old ? [] : this.#facts.described)])
    return {
      named,
      written,
      row,
      tables: this.#with(old ? notes.map((one) => (one === old ? row : one)) : [...notes, row]),
    }
  }

  /** A value as its column holds it. */
  #cast(name: string, value: unknown, stored: Value): Value {
    if (isRecord(value)) return stored === null ? null : Number(stored) + Number(value._inc)
    if (name === 'price' && value !== null) return Math.round(Number(value) * 100) / 100
    return value as Value // plain values, as they are drawn
  }

  /** Validations of the schema, of fields that are written, be it with the value that they have. */
  #checkValidations({ named, row, tables }: Candidate): void {
    for (const name of named) if (!this.#isValid(name, row, tables)) this.#refuse('schema', name)
  }

  /** True if a field's validation is about its value alone. */
  #isOfValues(name: string): boolean {
    return !(name in references) && !followsRelations(this.#facts.validations[name] ?? {}, 'notes')
  }

  #isValid(name: string, row: Row, tables = this.#tables): boolean {
    return this.#holds(this.#facts.validations[name], 'notes', row, tables)
  }

  /** References that the caller has a part in lead to what they saw before the write. */
  #checkReferences(row: Row, old: Row | undefined, data: Data): void {
    if (this.#caller.rules === undefined) return
    const seen = old && this.#seen('notes', old)
    for (const [name, to] of Object.entries(references)) {
      if (!(name in data) || this.#rules(to, 'read')?.length === 0) continue
      // What is given and what a trigger makes of it.
      for (const value of new Set([data[name], row[name]])) {
        if (value === null || (old?.[name] === value && seen?.has(name))) continue
        const target = this.#tables[to].find(({ id }) => id === value)
        if (target === undefined || this.#seen(to, target) === undefined) this.#refuse('reference', name)
      }
    }
  }

  /** What the database itself refuses. */
  #checkConstraints(row: Row, old: Row | undefined): void {
    const others = this.#tables.notes.filter((one) => one !== old)
    for (const name of ['id', 'code'])
      if (row[name] !== null && others.some((one) => one[name] === row[name])) this.#refuse('unique', name)
    for (const name of this.#facts.keys) {
      const to = references[name]
      if (to && row[name] !== null && !this.#tables[to].some(({ id }) => id === row[name]))
        this.#refuse('key', name)
    }
  }

  #with(notes: readonly Row[]): Tables {
    return { ...this.#tables, notes }
  }
}
