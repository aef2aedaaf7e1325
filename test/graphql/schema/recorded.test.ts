// The schemas of the service's callers are those that it printed, but for decisions.
import { beforeAll, describe, expect, it } from 'vitest'
import { printGraphQLSchema } from '../../../src/graphql.ts'
import { schemaDeviations } from '../schema-deviations.ts'
import { type Difference, differencesOf } from '../schema-differences.ts'
import { openService, recordedSchema, type Service, users } from '../service.ts'

let service: Service
const differences: Difference[] = []

beforeAll(async () => {
  service = await openService()
})

describe('recorded schemas', () => {
  it.each(users)('%s: each difference is decided', async (user) => {
    const found = differencesOf(
      recordedSchema(user),
      printGraphQLSchema(await service.as(user), { subscriptions: true }),
    )
    differences.push(...found)
    expect(found.filter((one) => !schemaDeviations.some(({ makes }) => makes(one)))).toEqual([])
  })

  it('every decision makes a difference, such as its example', () => {
    const idle = schemaDeviations.filter(
      ({ makes, example }) => !differences.some((one) => one.at === example && makes(one)),
    )
    expect(idle.map(({ decision }) => decision)).toEqual([])
    expect(differences.length).toBeGreaterThan(1_000)
  })
})
