// What a refused write of each form costs beside a successful one, by each verb on both databases.
// `QUERNEL_PRINT=refusals npx vitest run --config all.config.ts test/writes/forms/refusals.test.ts` prints all of them.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { countOf } from '../../../bench/forms/counting.ts'
import { openDoor } from '../../../bench/forms/doors.ts'
import {
  type Form,
  formNames,
  formOf,
  type Opened,
  openForm,
  type Verb,
  verbsOf,
} from '../../../bench/forms/forms.ts'
import { foreignKey } from '../../../bench/forms/tables.ts'
import { isEngineError } from '../../../src/index.ts'
import { type CountedDatabase, countedDatabases } from './counted-database.ts'

type Values = Readonly<Record<string, unknown>>

interface Refusal {
  readonly verbs: readonly Verb[]
  readonly key?: number
  /** What is written beside the usual. With success, the same names are written otherwise. */
  readonly written?: (name: string) => Values
  /** True if the names themselves are refused. */
  readonly isOfName?: true
  /** The form under which it is refused; undefined if it is not. */
  readonly form?: (form: Form, name: string) => Form | false | undefined
}

const [unknownKey, closedKey, sharedKey] = [5_000_000, 3, 4]
const changing: readonly Verb[] = ['update', 'delete']
const writing: readonly Verb[] = ['create', 'update']
const good: Values = { title: 'Fine', state: 'open', views: 3, author: 1 }

/** Cells that take more, with their number. What a rule or the schema asks of related rows is told after what the database refuses: for that the
 *  row is stored, and undone. */
const beyond: Readonly<Record<string, number>> = {
  'postgres | filter through a membership | filter, new row | create': 7,
  "postgres | schema's validation through a stored reference | schema's validation | update": 10,
  'postgres | validation through a membership | filter, new row | create': 5,
  'postgres | validation through a membership | validation, field untouched | update': 9,
  'postgres | validation through a membership | validation, field written | create': 7,
  'postgres | validation through a membership | validation, field written | update': 12,
  'sqlite | filter through a membership | filter, new row | create': 5,
  "sqlite | schema's validation through a stored reference | filter, new row | create": 4,
  "sqlite | schema's validation through a stored reference | schema's validation | create": 4,
  'sqlite | validation through a membership | filter, new row | create': 4,
  'sqlite | validation through a membership | validation, field written | create': 5,
}

type Rule = Values & { readonly validation?: Values }
type NotesRules = Readonly<Record<string, Rule | readonly Rule[] | true>>
const rulesOf = ({ rules }: Form) => rules as { readonly notes: NotesRules } | undefined
const withRules = (form: Form, change: (rules: NotesRules) => NotesRules): Form | undefined => {
  const rules = rulesOf(form)
  return rules && { ...form, rules: { ...rules, notes: { ...rules.notes, ...change(rules.notes) } } }
}

const isPersonal = ({ fields }: Form) => fields?.author !== undefined
const closed = { views: 2_000_000, state: 'closed' }

/** Rules by which all rows are read, but some fields only on some of them. */
const readable = (form: Form) =>
  withRules(form, ({ read }) => ({
    read: Array.isArray(read) ? [...read, { fields: ['id', 'title'] }] : true,
  }))

const validated = (form: Form) => {
  const { update } = rulesOf(form)?.notes ?? {}
  const validation = update && update !== true && 'validation' in update ? update.validation : undefined
  return validation && withRules(form, () => ({ read: true, create: { validation }, update: { validation } }))
}

const refusals: Readonly<Record<string, Refusal>> = {
  'unknown key': { verbs: changing, key: unknownKey },
  'hidden row': { verbs: changing, key: foreignKey, form: (form) => form.rules && form },
  'filter, row seen': { verbs: changing, key: foreignKey, form: readable },
  'filter, new row': {
    verbs: ['create'],
    form: (form, name) => (name === 'fields' ? undefined : withRules(form, () => ({}))),
    written: () => ({ author: 2 }),
  },
  'validation, field untouched': {
    verbs: ['update'],
    key: foreignKey,
    form: (form, name) => (/stored|written/.test(name) ? undefined : validated(form)),
    written: () => ({}),
  },
  'validation, field written': {
    verbs: writing,
    form: validated,
    written: (name) => (name.includes('stored') ? closed : { author: 2 }),
  },
  'field allowed by no rule': {
    verbs: writing,
    form: (form, name) => (name === 'fields' ? form : undefined),
    written: () => ({ author: 1 }),
    isOfName: true,
  },
  'field allowed by another rule': {
    verbs: ['update'],
    key: sharedKey,
    form: (form, name) => (name === 'two rules for an action' ? form : undefined),
    written: () => ({ author: 2 }),
    isOfName: true,
  },
  'hidden reference': {
    verbs: writing,
    form: (form, name) => (name.startsWith('a reference') ? form : undefined),
    written: () => ({ author: 2 }),
  },
  'missing reference': {
    verbs: writing,
    form: (form) => (isPersonal(form) ? form : undefined),
    written: () => ({ author: 9 }),
  },
  'missing reference, for the database alone': {
    verbs: ['update'],
    form: (form, name) => (isPersonal(form) || name === 'fields' ? undefined : form),
    written: () => ({ author: 9 }),
  },
  'taken value': { verbs: writing, written: () => ({ title: 'Taken' }) },
  "schema's validation": {
    verbs: writing,
    form: (form, name) =>
      name.startsWith('schema')
        ? form
        : !form.isVersioned && {
            ...form,
            fields: { ...form.fields, title: { type: 'string', validation: { title: { _neq: 'Bad' } } } },
          },
    written: (name) =>
      !name.startsWith('schema') ? { title: 'Bad' } : name.includes('reference') ? { author: 2 } : closed,
  },
}

interface Cell {
  readonly title: string
  readonly success: string
  readonly refused: string
  readonly error: string
  readonly more: number
}

interface Trial {
  readonly form: Form
  readonly verb: Verb
  readonly written: Values
  readonly refusal: Refusal
  readonly nextKey: () => number
}

async function measured(name: 'sqlite' | 'postgres'): Promise<readonly Cell[]> {
  const database = await countedDatabases[name](500)
  const cells: Cell[] = []
  // The first notes have comments, and are not deleted.
  let key = 10
  try {
    for (const statement of ['notes', 'traced'].flatMap(rowsOf)) await sql.raw(statement).execute(database.db)
    for (const of of formNames)
      for (const [title, refusal] of Object.entries(refusals)) {
        const form = refusal.form ? refusal.form(formOf(of), of) : formOf(of)
        if (!form) continue
        const opened = openForm(form, database.db)
        if (form.isVersioned) await opened.engine.install()
        for (const verb of verbsOf(form).filter((verb) => refusal.verbs.includes(verb))) {
          const nextKey = () => (verb === 'delete' ? key++ : 1)
          const trial = { form, verb, written: refusal.written?.(of) ?? {}, refusal, nextKey }
          cells.push({
            title: [name, of, title, verb].join(' | '),
            ...(await cellOf(trial, opened, database)),
          })
        }
      }
  } finally {
    await database.close()
  }
  return cells
}

const rowsOf = (table: string) => [
  `create unique index once_${table} on ${table} (title) where title = 'Taken'`,
  `update ${table} set title = 'Taken' where id = 2`,
  `update ${table} set state = 'closed' where id = ${closedKey}`,
  `update ${table} set state = 'shared', author = 2 where id = ${sharedKey}`,
]

/** Counts a success and a refusal under the same names. The first call of each asks the catalogue, and is not counted. */
async function cellOf(
  { form, verb, written, refusal, nextKey }: Trial,
  opened: Opened,
  { sent }: CountedDatabase,
): Promise<Omit<Cell, 'title'>> {
  const writeOf = (more: Values) =>
    openDoor.id(verb, { ...form, written: { ...form.written, ...more } }, opened)
  const write = writeOf(
    refusal.isOfName ? {} : Object.fromEntries(Object.keys(written).map((name) => [name, good[name]])),
  )
  const refuse = writeOf(written)
  const refusedKey = refusal.key ?? ('state' in written ? closedKey : 1)
  const toldBy = () =>
    refuse(refusedKey).then(
      () => '',
      (error: unknown) => {
        if (!isEngineError(error)) throw error
        return `${error.code} ${error.message}`
      },
    )
  await write(nextKey())
  sent.length = 0
  await write(nextKey())
  const success = sent.join(' ')
  await toldBy()
  sent.length = 0
  const error = await toldBy()
  const refused = sent.join(' ')
  return { success, refused, error, more: statementsOf(refused) - statementsOf(success) }
}

const statementsOf = (does: string) => (does === '' ? 0 : countOf(does).statements)

describe('a refused write', () => {
  it('takes at most three statements more than a successful one', async () => {
    const cells = [...(await measured('sqlite')), ...(await measured('postgres'))]
    if (process.env.QUERNEL_PRINT === 'refusals')
      for (const { title, success, refused, more, error } of cells)
        console.info(`${more} | ${title} | ${success} -> ${refused} | ${error}`)
    expect(cells.filter(({ error }) => error === '').map(({ title }) => title)).toEqual([])
    const more = cells.filter(({ more }) => more > 3).map(({ title, more }) => [title, more])
    expect(Object.fromEntries(more)).toEqual(beyond)
  })
})
