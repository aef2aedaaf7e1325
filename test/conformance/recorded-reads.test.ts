// The recorded requests are answered as they were recorded, but for the deviations.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Engine,
  getItem,
  getSingleton,
  isEngineError,
  listItems,
  listItemsJson,
  parseQuery,
} from '../../src/index.ts'
import { lanes } from '../support/lanes.ts'
import { deviations } from './deviations.ts'
import { access, alike, openRecorded, type Recorded, recorded } from './recorded.ts'

const deviating = new Map(deviations.flatMap(({ answers }) => Object.entries(answers)))
const isEqual = ({ name }: Recorded) => !deviating.has(name)

describe.each(lanes)('on $title', ({ name, open }) => {
  let engine: Engine
  beforeAll(async () => {
    const made = await openRecorded({ name, open })
    engine = made.engine.as(access)
  })

  it.each(recorded.filter(isEqual))('$name', async (request) => {
    expect(await outcome(engine, request)).toEqual(alike(request.expect))
  })

  describe.each(deviations)('$sentence', ({ answers }) => {
    it.each(Object.keys(answers))('%s', async (title) => {
      const request = named(title)
      const found = await outcome(engine, request)
      expect(found).not.toEqual(alike(request.expect))
      expect(found).toEqual(alike(answers[title]))
    })
  })
})

it('at most 30 sentences are behind the deviations, and each request has one', () => {
  expect(deviations.length).toBeLessThanOrEqual(30)
  expect(deviations.flatMap(({ answers }) => Object.keys(answers))).toEqual([...deviating.keys()])
})

function named(title: string): Recorded {
  const request = recorded.find(({ name }) => name === title)
  if (request === undefined) throw new Error(`No recorded request is called ${title}.`)
  return request
}

async function outcome(engine: Engine, { collection, key, query: given }: Recorded): Promise<unknown> {
  try {
    const query = parseQuery(given, { isText: true })
    if (key !== undefined) return { data: alike(await getItem(engine, collection, key, query)) }
    if (engine.schema.collections.get(collection)?.isSingleton)
      return { data: alike(await getSingleton(engine, collection, query)) }
    const answer = await listItems(engine, collection, query)
    expect(JSON.parse(await listItemsJson(engine, collection, query))).toEqual(answer)
    return alike(answer)
  } catch (error) {
    if (isEngineError(error)) return error.code
    throw error
  }
}
