import { expect, it } from 'vitest'
import { defineSchema } from '../../../src/index.ts'
import { maskSecrets } from '../../../src/plan/write/mask-secrets.ts'
import type { Collection } from '../../../src/schema/model.ts'

const id = { type: 'integer', key: true } as const
const { collections } = defineSchema({
  users: {
    fields: {
      id,
      name: { type: 'string' },
      password: { type: 'hash', nullable: true },
      token: { type: 'string', nullable: true, conceal: true },
      boss: { type: 'm2o', to: 'users', nullable: true },
      staff: { type: 'o2m', from: 'users.boss' },
    },
  },
})
const users = collections.get('users') as Collection // it was just described

it('conceals what fields conceal, however deep it is nested', () => {
  const given = {
    name: 'Ada',
    password: 'secret',
    token: null,
    boss: { id: 2, token: 'secret' },
    staff: { create: [{ password: 'secret' }], update: [{ id: 3, name: 'Bo' }], delete: [4] },
  }
  expect(maskSecrets(users, given)).toEqual({
    name: 'Ada',
    password: '**********',
    token: null,
    boss: { id: 2, token: '**********' },
    staff: { create: [{ password: '**********' }], update: [{ id: 3, name: 'Bo' }], delete: [4] },
  })
  expect(maskSecrets(users, { staff: 5, boss: 2, nothing: 'x', other: undefined })).toEqual({
    staff: 5,
    boss: 2,
    nothing: 'x',
    other: undefined,
  })
  expect(maskSecrets(users, { staff: { create: 5 } })).toEqual({ staff: { create: 5 } })
  expect(maskSecrets(users, { staff: [1, { token: 'secret' }] })).toEqual({
    staff: [1, { token: '**********' }],
  })
})
