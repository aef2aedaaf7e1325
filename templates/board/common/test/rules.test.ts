import { doesNotReject, rejects } from 'node:assert/strict'
import { after, test } from 'node:test'
import { createItem, deleteItem, getItem, updateItem } from 'quernel'
import { testDatabase } from '../database.ts'
import { openEngine } from '../engine.ts'
import { accessOf } from '../rules.ts'

const engine = await openEngine(testDatabase)
after(() => engine.db.destroy())
const as = (token: string) => engine.as(accessOf(token) ?? {})
const { id } = await createItem(engine, 'cards', { title: 'Paint', place: 1, author: 1, team: 1 })
test('the team moves a card', () => doesNotReject(updateItem(as('grace'), 'cards', id, { place: 2 })))
test('it stays theirs', () => rejects(updateItem(as('ada'), 'cards', id, { team: 2 }), { code: 'FORBIDDEN' }))
test('others do not see it', () => rejects(getItem(as('mallory'), 'cards', id), { code: 'NOT_FOUND' }))
test('others do not delete it', () => rejects(deleteItem(as('grace'), 'cards', id), { code: 'FORBIDDEN' }))
test('its author deletes it', () => doesNotReject(deleteItem(as('ada'), 'cards', id)))
