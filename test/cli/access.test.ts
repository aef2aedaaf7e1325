// `quernel access` prints what a role may do, by the rules beside a schema.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openShop, runHere, type Shop } from './command.ts'

const library = JSON.stringify(join(import.meta.dirname, '../../src/index.ts'))

let shop: Shop
beforeEach(() => {
  shop = openShop()
})
afterEach(() => shop.remove())

const written = (text: string): string => {
  const file = join(shop.folder, `${expect.getState().currentTestName?.length}-${text.length}.mjs`)
  writeFileSync(file, text)
  return file
}

const schema = `import { defineSchema } from ${library}
export const schema = defineSchema({
  users: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' }, mail: { type: 'string' } } },
  notes: { fields: {
    id: { type: 'integer', key: true },
    text: { type: 'string' },
    owner: { type: 'm2o', to: 'users', nullable: true },
  } },
})
`
const roles = `export const roles = {
  admin: { admin: true },
  guest: { rules: {} },
  writer: {
    rules: {
      users: { read: { fields: ['id', 'name'] } },
      notes: {
        create: { fields: ['text'], validation: { text: { _nempty: true } }, presets: { owner: '$CURRENT_USER' } },
        read: [{ filter: { owner: '$CURRENT_USER' } }, { fields: ['id'] }],
        delete: true,
      },
    },
  },
}
`

describe('quernel access', () => {
  it('prints a line for each rule of a role', async () => {
    expect(await runHere(['access', written(schema + roles), '--role', 'writer'])).toEqual({
      code: 0,
      told: '',
      out: `writer
  collection  action  fields    items                              validation                 presets
  users       read    id, name  all
  notes       create  text      all                                {"text":{"_nempty":true}}  {"owner":"$CURRENT_USER"}
  notes       read    all       {"owner":{"_eq":"$CURRENT_USER"}}
  notes       read    id        all
  notes       delete  all       all
`,
    })
  })

  it('prints all roles where none is named, and nothing for one that may do nothing', async () => {
    const { out } = await runHere(['access', written(schema + roles)])
    expect(out).toContain('admin\n  collection  action  fields  items\n  users       create  all     all\n')
    expect(out).toContain('\nguest\n  nothing\n\nwriter\n')
  })

  it('says what is wrong', async () => {
    const file = written(schema + roles)
    expect(await runHere(['access', file, '--role', 'writers'])).toMatchObject({
      code: 1,
      told: 'quernel: There is no role "writers".\n  Did you mean "writer"?\n',
    })
    const none = await runHere(['access', written(schema)])
    expect(none).toMatchObject({
      code: 1,
      told: expect.stringContaining('exports no roles.\n  Let it export'),
    })
    const wrong = await runHere([
      'access',
      written(`${schema}export const roles = { a: { rules: { note: {} } } }`),
    ])
    expect(wrong).toMatchObject({ code: 1, told: expect.stringContaining('There is no collection "note"') })
    const text = await runHere(['access', written(`${schema}export const roles = { a: 'admin' }`)])
    expect(text).toMatchObject({ code: 1, told: expect.stringContaining('The role "a" is an access') })
    for (const words of [[], [file, file], [file, '--user', '1']])
      expect(await runHere(['access', ...words])).toMatchObject({ code: 2 })
  })
})
