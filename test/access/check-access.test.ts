// A misspelt variable in a rule is a mistake of the host's: behind a negation it would be a text that lets everything through.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  explainAccess,
  listItems,
  matchesFilter,
  type Schema,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { json, key, many, maybeOne, text } from '../support/fields.ts'
import { refusalOf } from '../support/outcome.ts'

const schema: Schema = defineSchema({
  users: { fields: { id: key, notes: many('notes.owner') } },
  notes: { fields: { id: key, text, meta: json, owner: maybeOne('users') } },
})

/** Rules with a text that names no variable, and the place of it. */
const misspelt: readonly (readonly [place: string, rule: object])[] = [
  ['filter.text._neq', { filter: { text: { _neq: '$CURENT_USER' } } }],
  ['filter.owner._neq', { filter: { owner: { _neq: '$CURENT_USER' } } }],
  ['filter.text._eq', { filter: { text: '$now' } }],
  ['filter.text._nin.1', { filter: { text: { _nin: ['a', '$CURRENT_USR.name'] } } }],
  ['filter._or.1.text._neq', { filter: { _or: [{ id: 1 }, { text: { _neq: '$CURRENT_USER.' } }] } }],
  [
    'filter.owner.notes._none.text._neq',
    { filter: { owner: { notes: { _none: { text: { _neq: '$User' } } } } } },
  ],
  ['filter.meta._json.a.b._neq', { filter: { meta: { _json: { 'a.b': { _neq: '$CURRENT_USER ' } } } } }],
  ['filter.text._ncontains', { filter: { text: { _ncontains: '$HOME' } } }],
  ['filter.text._neq', { filter: { text: { _neq: 'of {{ user }}' } } }],
  ['filter.text._neq', { filter: { text: { _neq: '$CURRENT_USER.{{x}}' } } }],
  ['validation.text._neq', { validation: { text: { _neq: '$CURENT_USER' } } }],
  ['presets.text', { presets: { text: '$CURENT_USER' } }],
  ['presets.meta.by.0', { presets: { meta: { by: ['$CURENT_USER'] } } }],
  ['presets.owner.notes.0.text', { presets: { owner: { notes: [{ text: '{{x}}' }] } } }],
]

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine

  beforeEach(async () => {
    opened = await open()
    await opened.run('create table users (id integer primary key)')
    await opened.run('create table notes (id integer primary key, text text, meta text, owner integer)')
    await opened.run(
      "insert into notes values (1, 'a', null, null), (2, '$CURENT_USER', null, null), (3, '{{x}}', null, null)",
    )
    engine = createEngine({ db: opened.db, schema })
  })

  it.each(misspelt)('is found at %s when the rules are given', (place, rule) => {
    for (const read of [
      () => engine.as({ rules: { notes: { create: rule } } }),
      () => engine.as({ rules: { notes: { update: [{}, rule] } } }),
    ]) {
      const error = refusalOf(read)
      const { code, path, hint } = (error.errors ?? [error])[0] ?? error
      expect([code, path?.slice(0, 2)]).toEqual(['INVALID_OPTIONS', ['rules', 'notes']])
      expect(path?.join('.')).toContain(place)
      expect(hint).toContain('$TEXT(')
    }
  })

  it('is told with the nearest name, also of a function in memory', () => {
    const rules = { notes: { read: { filter: { text: { _neq: '$CURENT_USER' } } } } }
    const hint = 'Did you mean "$CURRENT_USER"? A text of this form is written "$TEXT($CURENT_USER)".'
    expect(refusalOf(() => engine.as({ rules }))).toMatchObject({ code: 'INVALID_OPTIONS', hint })
    expect(
      refusalOf(() => matchesFilter(engine, 'notes', {}, { id: 1 }, { access: { rules } })),
    ).toMatchObject({ hint })
  })

  it('is found in the validation of a field', () => {
    const fields = {
      id: { type: 'integer', key: true },
      text: { type: 'string', validation: { text: { _neq: '$CURENT_USER' } } },
    } as const
    const described = defineSchema({ notes: { fields } })
    expect(refusalOf(() => createEngine({ db: opened.db, schema: described }))).toMatchObject({
      code: 'INVALID_OPTIONS',
      path: ['notes', 'fields', 'text', 'validation', 'text', '_neq'],
    })
  })

  it('a text of that form is meant literally in $TEXT(…)', async () => {
    const read = { filter: { text: { _in: ['$TEXT($CURENT_USER)', '$TEXT({{x}})'] } } }
    const create = {
      validation: { text: { _neq: '$TEXT($CURRENT_USER)' } },
      presets: { meta: { by: '$CURRENT_USER', word: '$TEXT($NOW)' } },
    }
    const mine = engine.as({ user: 7, rules: { notes: { read: [read, { filter: { id: 9 } }], create } } })
    expect((await listItems(mine, 'notes', { fields: ['id'] })).data).toEqual([{ id: 2 }, { id: 3 }])
    await expect(createItem(mine, 'notes', { id: 9, text: '$CURRENT_USER' })).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
    })
    expect(await createItem(mine, 'notes', { id: 9, text: 'b' }, { fields: ['meta'] })).toEqual({
      meta: { by: 7, word: '$NOW' },
    })
    expect(
      refusalOf(() => engine.as({ rules: { notes: { read: { filter: { text: '$TEXT' } } } } })),
    ).toMatchObject({ code: 'INVALID_OPTIONS' })
  })

  it('a preset with a variable that has no value allows nothing, however deep it stands', async () => {
    const mine = engine.as({ rules: { notes: { create: { presets: { meta: { by: ['$CURRENT_USER'] } } } } } })
    await expect(createItem(mine, 'notes', { id: 9 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('a text of a query is a text', async () => {
    const query = { filter: { text: '$CURENT_USER' }, fields: ['id'] } as const
    expect((await listItems(engine, 'notes', query)).data).toEqual([{ id: 2 }])
  })

  it.each(['tenant', '$tenant', '$NOW', '$CURENT_USER', '$CURRENT_USER(1)'])(
    'there is no variable %s of a caller',
    (name) => {
      const error = refusalOf(() => engine.as({ variables: { [name]: 1 } }))
      expect(error).toMatchObject({ code: 'INVALID_OPTIONS', path: ['variables', name] })
      expect(error.hint).toContain('"$CURRENT_USER.tenant"')
    },
  )

  it('a variable of a caller is one of the four, or a path of one', async () => {
    const variables = {
      $CURRENT_USER: 7,
      '$CURRENT_ROLE.name': 'a',
      '$CURRENT_USER.tenant': 1,
      $CURRENT_POLICIES: [],
    }
    const mine: Access = { variables, rules: { notes: { read: { filter: { text: '$CURRENT_ROLE.name' } } } } }
    expect((await listItems(engine.as(mine), 'notes', { fields: ['id'] })).data).toEqual([{ id: 1 }])
  })

  it('an imported rule that is refused allows nothing, and explainAccess says why', async () => {
    const refused = 'It allows nothing. There is no variable "$CURENT_USER".'
    const mine = engine.as({ rules: { notes: { read: [{ refused, filter: { text: '$CURENT_USER' } }] } } })
    await expect(listItems(mine, 'notes')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(explainAccess(mine, 'notes', 'read')).toEqual({
      allowed: false,
      fields: {},
      rules: [],
      refused: [refused],
    })
  })
})
