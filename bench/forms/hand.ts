// The statements by hand: for each form and verb one statement that keeps the same promise as its rules, with no clause besides; a flight that
// locks first where related rows are asked; a transaction where hooks or other tables take part.
import type { DatabaseName } from '../options.ts'
import { caller, type Form, formOf, payloads, type Verb } from './forms.ts'

/** What a statement may bind, by name. */
export interface Bound {
  readonly key: number
  readonly caller: number
  readonly title: string
  readonly state: string
  readonly views: number
  readonly author: number
}

export interface HandStatement {
  readonly text: string
  readonly values: (bound: Bound) => readonly unknown[]
}

export interface HandProgram {
  /** Judges the values before anything is sent. */
  readonly allows: (bound: Bound) => boolean
  /** Statements before the one that writes, which is the last but those behind it. */
  readonly first: readonly HandStatement[]
  readonly write: HandStatement
  readonly last: readonly HandStatement[]
  /** `alone`: the write by itself. `flight`: all together with begin and commit. `steps`: a transaction, one by one, in which what comes first has to
   *  find a row. */
  readonly how: 'alone' | 'flight' | 'steps'
}

interface Promised {
  /** What holds of the row before the write, in SQL. */
  readonly row?: string
  /** What else holds of the row after an update. */
  readonly after?: string
  /** What holds of the values of a new row, and of an author that is written: in memory, or in SQL where other rows are asked. */
  readonly values?: (bound: Bound) => boolean
  readonly created?: string
  /** True where related rows are asked, which may change while the row is waited for. */
  readonly asksOthers?: true
  readonly isPreset?: true
}

const own = 'notes.author = @caller'
const theirs = 'exists (select 1 from members m where m.person = notes.author and m.member = @caller)'
const written = 'exists (select 1 from members m where m.person = @author and m.member = @caller)'
const isOwn = ({ author }: Bound) => author === caller
const filtered: Promised = { row: own, values: isOwn }
const open = `(@views < 1000000 or notes.state = 'open')`
const named = (author: string) => `exists (select 1 from people p where p.id = ${author} and p.name <> 'Bo')`
const isOpen = ({ views, state }: Bound) => views < 1_000_000 || state === 'open'

const promises: Readonly<Record<string, Promised>> = {
  'filter on an own column': filtered,
  'filter and validation with $CURRENT_USER, its field untouched': filtered,
  'filter and validation with $CURRENT_USER, its field written': filtered,
  presets: { ...filtered, isPreset: true },
  fields: filtered,
  'validation over a stored field': {
    row: own,
    after: open,
    values: (bound) => isOwn(bound) && isOpen(bound),
  },
  // A condition on a field that the payload does not name is left out.
  "schema's validation over a stored field": {
    row: own,
    values: (bound) => isOwn(bound) && isOpen(bound),
  },
  "schema's validation through a stored reference": {
    row: own,
    after: named('notes.author'),
    values: isOwn,
    created: named('@author'),
    asksOthers: true,
  },
  'filter through a membership': { row: theirs, created: written, asksOthers: true },
  'validation through a membership': {
    row: own,
    after: theirs,
    values: isOwn,
    created: written,
    asksOthers: true,
  },
  'two rules for an action': {
    row: `(notes.author = @caller or notes.state = 'shared')`,
    values: ({ author, state }) => author === caller || state === 'shared',
  },
  'fields that are seen on some rows only': filtered,
  'a reference in the payload under rules': filtered,
}

/** The answer with `fields: ['id']`, and by default. */
export type HandAnswer = 'id' | 'default'

export function handProgram(
  database: DatabaseName,
  name: string,
  verb: Verb,
  answer: HandAnswer,
): HandProgram {
  const form = formOf(name)
  const promised = promises[name] ?? {}
  const writing = texts[verb](form, promised, returningOf(name, answer, database))
  const statement = (text: string) => compiled(text.replace(/\bnotes\b/g, form.table ?? 'notes'), database)
  const isStored = verb !== 'create'
  const lock = `select notes.id from notes where notes.id = @key and ${promised.row ?? 'true'}`
  const rowLock = database === 'postgres' ? ` for ${verb === 'delete' ? '' : 'no key '}update` : ''
  const { allows } = handText(name, verb)
  const base = { allows, write: statement(writing), first: [], last: [] }
  if (form.isVersioned && verb !== 'update') {
    const item = database === 'postgres' ? '@key::text' : 'cast(@key as text)'
    const isNew = verb === 'upsert' ? ' and not exists (select 1 from notes where notes.id = @key)' : ''
    const versions = statement(`delete from versions where collection = 'notes' and item = ${item}${isNew}`)
    // The key of a new note is known behind it.
    return verb === 'create'
      ? { ...base, last: [versions], how: 'steps' }
      : { ...base, first: [versions], how: 'flight' }
  }
  if (form.begin && name === 'hook before')
    return { ...base, first: isStored ? [statement(lock + rowLock)] : [], how: 'steps' }
  if (name === 'trigger on the table' && answer === 'default' && verb !== 'delete')
    return {
      ...base,
      last: [statement(`select ${returned} from notes where notes.id = @key`)],
      how: 'steps',
    }
  if (database === 'sqlite') return { ...base, how: 'alone' }
  if (name === 'signal and timeoutMs')
    return { ...base, first: [statement('set local statement_timeout = 600000')], how: 'flight' }
  if (promised.asksOthers && !(verb === 'delete' && promised.row === own)) {
    const others = `select from ${promised.created?.includes('people') ? 'people where id = @author' : 'members where person = @author and member = @caller'} for share`
    return { ...base, first: [statement(isStored ? lock + rowLock : others)], how: 'flight' }
  }
  return { ...base, how: 'alone' }
}

/** True if the values that a verb is given are judged: of new rows, and where the author is written. */
const judges = ({ written }: Form, verb: Verb) => verb !== 'update' || written?.author !== undefined

/** The text of a form's statement that returns keys, with names for values, and what it asks of values. */
export function handText(name: string, verb: Verb): Pick<HandProgram, 'allows'> & { readonly text: string } {
  const form = formOf(name)
  const promised = promises[name] ?? {}
  return {
    text: texts[verb](form, promised, 'notes.id').replace(/\bnotes\b/g, form.table ?? 'notes'),
    allows: (bound) => verb === 'delete' || !judges(form, verb) || (promised.values?.(bound) ?? true),
  }
}

const returned = 'notes.id, notes.title, notes.state, notes.views, notes.author'

function returningOf(name: string, answer: HandAnswer, database: DatabaseName): string {
  if (answer === 'id') return 'notes.id'
  if (name === 'fields that are seen on some rows only')
    return `notes.id, notes.title, ${['state', 'views', 'author'].map((column) => `case when ${own} then notes.${column} end`)}`
  if (name !== 'a collection with one o2m field') return returned
  const list = database === 'sqlite' ? 'json_group_array(c.id)' : `coalesce(json_agg(c.id), '[]')`
  return `${returned}, (select ${list} from comments c where c.note = notes.id)`
}

const texts: Readonly<Record<Verb, (form: Form, promised: Promised, returning: string) => string>> = {
  create: (_, { created }, returning) =>
    `insert into notes (title, state, views, author) select @title:text, @state:text, @views:int, @author:int${created ? ` where ${created}` : ''} returning ${returning}`,
  update: ({ added, written }, { row, after, isPreset }, returning) => {
    const sets = [
      'title = @title',
      added ? 'views = notes.views + @views' : 'views = @views',
      ...(isPreset || written?.author !== undefined ? ['author = @author'] : []),
    ]
    const range = added && 'notes.views + @views:bigint between -2147483648 and 2147483647'
    return `update notes set ${sets.join(', ')} where ${all('notes.id = @key', row, after, range)} returning ${returning}`
  },
  delete: (_, { row }) => `delete from notes where ${all('notes.id = @key', row)}`,
  upsert: (_, { row, after, created }, returning) => {
    const sets = ['title', 'state', 'views', 'author'].map((column) => `${column} = excluded.${column}`)
    const changed = all(
      row,
      after?.replaceAll('notes.state', 'excluded.state').replaceAll('notes.author', 'excluded.author'),
    )
    return `insert into notes (id, title, state, views, author) select @key:int, @title:text, @state:text, @views:int, @author:int where ${created ?? 'true'}
      on conflict (id) do update set ${sets.join(', ')}${changed && ` where ${changed}`} returning ${returning}`
  },
}

const all = (...conditions: readonly (string | undefined)[]) => conditions.filter(Boolean).join(' and ')

/** A text with names for values, such as `@views:int`, as a database takes it. */
function compiled(text: string, database: DatabaseName): HandStatement {
  const names: (keyof Bound)[] = []
  const numbered = text.replace(/@(\w+)(?::(\w+))?/g, (_, name: keyof Bound, type?: string) => {
    // better-sqlite3 takes a value for each mark.
    if (database === 'sqlite' || !names.includes(name)) names.push(name)
    if (database === 'sqlite') return '?'
    return `$${names.indexOf(name) + 1}${castOf[name] ?? (type ? `::${type}` : '')}`
  })
  return { text: numbered, values: (bound) => names.map((name) => bound[name]) }
}

/** Values that several columns or conditions share have one type. */
const castOf: Partial<Record<keyof Bound, string>> = {
  key: '::int',
  caller: '::int',
  views: '::int',
  author: '::int',
}

/** What is bound for a payload. Where it names no author, the schema or a preset says who it is. */
export function boundBy(form: Form, verb: Verb, key: number): Bound {
  const payload = payloads[verb]({ ...form, written: form.written ?? {} }, key) ?? {}
  const views = form.added?.views ?? payload.views
  const { title = '', state = 'open', author = caller } = payload as Partial<Bound>
  return { key, caller, title, state, author, views: Number(views ?? 0) }
}
