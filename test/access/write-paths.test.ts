// On no road to a write can what is hidden be told from what is not there, and nothing is written on any.
import { beforeAll, describe, expect, it } from 'vitest'
import { createVersion, type Engine, type Schema } from '../../src/index.ts'
import { type Contents, contents, differences } from '../conformance/writes/call.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { isShort, oneIn } from '../support/long-runs.ts'
import { access, hiddenText, openWorld } from './paths/dataset.ts'
import { outcome } from './paths/outcome.ts'
import { articleRoads, childRoads, collectionRoads, fieldRoads, type WriteRoad } from './paths/writes.ts'

const hiddenFields = [
  ...['secret', 'signed', 'paper', 'editor', 'remarks', 'labels', 'pieces'],
  // Relations that are granted, and lead to what may neither be seen nor written.
  'entries',
]
const hiddenCollections = ['ledgers', 'vaults', 'safe']

class Undo extends Error {}

describe.each(databases)('on $name', (database) => {
  let engine: Engine<Schema>
  let before: Contents
  beforeAll(async () => {
    ;({ engine } = await openWorld(database))
    for (const id of [1, 203])
      await createVersion(engine, 'articles', id, { key: 'draft', delta: { title: 'x' } })
    before = await contents(engine)
  })

  async function told<Sought>(road: WriteRoad<Sought>, sought: Sought) {
    let answer = ''
    let left: unknown
    await engine
      .transaction(async (inside) => {
        answer = await outcome(() => road.go(inside.as(access), sought), sought)
        left = differences(before, await contents(inside))
        throw new Undo()
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error
      })
    return { answer, left }
  }

  /** What is told of something that is not there, which stays the same. */
  const ofAbsent = new Map<unknown, ReturnType<typeof told>>()

  async function isAlike<Sought>(road: WriteRoad<Sought>, hidden: Sought, absent: Sought) {
    const expected = ofAbsent.get(road) ?? told(road, absent)
    ofAbsent.set(road, expected)
    await expected
    const found = await told(road, hidden)
    expect(found).toEqual(await expected)
    expect(found.answer).not.toContain(hiddenText)
    return found
  }

  async function isRefusedAlike<Sought>(road: WriteRoad<Sought>, hidden: Sought, absent: Sought) {
    const { answer, left } = await isAlike(road, hidden, absent)
    expect(answer).toContain('"errors"')
    expect(left).toEqual({})
  }

  describe.each(hiddenFields)(`the hidden field %s (QUERNEL_SEED=${fuzzSeed})`, (hidden) => {
    // So that each field has others, and those that have not been on one database are on the other.
    const turn = fuzzSeed + hiddenFields.indexOf(hidden) + databases.indexOf(database)
    it.each(oneIn(isShort ? 4 : 2, fieldRoads, turn))('is not there for $title', (road) =>
      isRefusedAlike(road, hidden, 'absent'),
    )
  })

  describe.each(hiddenCollections)('the hidden collection %s', (hidden) => {
    it.each(collectionRoads)('is not there for $title', (road) => isRefusedAlike(road, hidden, 'absents'))
  })

  it.each(articleRoads)('a hidden item is not there for $title', async (road) => {
    await isAlike(road, 203, 298)
  })

  it.each(childRoads)('a hidden child is not there for $title', (road) => isRefusedAlike(road, 2, 298))
})
