import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createItem, deleteItem, getItem, updateItem } from 'quernel'
import { testDatabase } from '../database.ts'
import { openEngine } from '../engine.ts'
import { accessOf } from '../rules.ts'

const { db, engine } = await openEngine(testDatabase)
after(() => db.destroy())
const as = (token: string) => engine.as(accessOf(token) ?? {})
const card = await createItem(engine, 'cards', { title: 'Paint', place: 1, author: 1, team: 1 })

test('the team moves a card, and does not give it away', async () => {
  await updateItem(as('grace'), 'cards', card.id, { state: 'done' })
  await assert.rejects(updateItem(as('grace'), 'cards', card.id, { team: 2 }), { code: 'FORBIDDEN' })
})

test('others do not see it', async () => {
  await assert.rejects(getItem(as('mallory'), 'cards', card.id), { code: 'NOT_FOUND' })
})

test('nobody but its author deletes it', async () => {
  await assert.rejects(deleteItem(as('grace'), 'cards', card.id), { code: 'FORBIDDEN' })
  await deleteItem(as('ada'), 'cards', card.id)
})
