// On no road can what is hidden be told from what is not there.
import { beforeAll, describe, expect, it } from 'vitest'
import { createVersion, type Engine, type Schema } from '../../src/index.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { isShort, oneIn } from '../support/long-runs.ts'
import { access, hiddenText, openWorld } from './paths/dataset.ts'
import { outcomes } from './paths/outcome.ts'
import { collectionRoads, fieldRoads, type ReadRoad } from './paths/reads.ts'
import { keyRoads, textRoads, twinRoads, wholes } from './paths/rows.ts'

/** Fields of every kind that are not granted, and relations that are but lead into what is hidden. */
const hiddenFields = [
  ...['secret', 'signed', 'paper', 'editor', 'remarks', 'labels', 'pieces'],
  ...['entries', 'replies'],
]
const hiddenCollections = ['ledgers', 'vaults', 'safe']

describe.each(databases)('on $name', (database) => {
  let caller: Engine<Schema>
  beforeAll(async () => {
    const world = await openWorld(database)
    // A hidden article has a version, too.
    for (const id of [1, 203])
      await createVersion(world.engine, 'articles', id, { key: 'draft', delta: { title: 'x' } })
    caller = world.engine.as(access)
  })

  const ofNowhere = new Map<unknown, Promise<readonly string[]>>()

  async function isAlike<Sought>(road: ReadRoad<Sought>, hidden: Sought, absent: Sought) {
    const ask = (sought: Sought) => outcomes(caller, road.call(sought), sought, road.isGrouped)
    const told = await ask(hidden)
    // Of what is not there each road tells the same for all that is hidden.
    const ofAbsent = absent === 'nowhere' ? (ofNowhere.get(road) ?? ask(absent)) : ask(absent)
    if (absent === 'nowhere') ofNowhere.set(road, ofAbsent)
    expect(told).toEqual(await ofAbsent)
    expect(told.join()).not.toContain(hiddenText)
    return told
  }

  describe.each(hiddenFields)(`the hidden field %s (QUERNEL_SEED=${fuzzSeed})`, (hidden) => {
    // So that each field has others, and those that have not been on one database are on the other.
    const turn = fuzzSeed + hiddenFields.indexOf(hidden) + databases.indexOf(database)
    it.each(oneIn(isShort ? 4 : 2, fieldRoads, turn))('is not there for $title', async (road) => {
      const told = await isAlike(road, hidden, 'nowhere')
      for (const one of told) expect(one).toMatch(road.isSilent ? /"answer"/ : /"code":"FORBIDDEN"/)
    })
  })

  describe.each(hiddenCollections)('the hidden collection %s', (hidden) => {
    it.each(collectionRoads)('is not there for $title', async (road) => {
      const told = await isAlike(road, hidden, 'nowhere')
      for (const one of told) expect(one).toMatch(/"code":"(FORBIDDEN|NOT_FOUND)"/)
    })
  })

  describe('a hidden item', () => {
    it.each(keyRoads)('is not there for $title', async (road) => {
      await isAlike(road, 203, 298)
    })
    it.each(textRoads)('is not found by its text with $title', async (road) => {
      await isAlike(road, hiddenText, 'ABSENT')
    })
  })

  describe('a relation to something hidden', () => {
    it.each(twinRoads)('leads nowhere for $title', async (road) => {
      await isAlike(road, 204, 205)
      await isAlike(road, 206, 207)
    })
  })

  it.each(wholes)('nothing that is hidden is among $title', async (road) => {
    for (const told of await outcomes(caller, road.call(undefined), undefined, road.isGrouped)) {
      expect(told).toContain('"answer"')
      expect(told).not.toMatch(new RegExp(`${hiddenText}|777|1999`))
    }
  })
})
