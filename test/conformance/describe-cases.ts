// Describes cases on every database, by chapters. Databases that a host has set up in odd ways hold some of the cases, others each run.
import { describe, expect, it } from 'vitest'
import { fuzzSeed } from '../property/seeded-random.ts'
import { casesAt, type ReadLane, readLanes } from './reads/lanes.ts'

export type Chapter<Case> = readonly [title: string, cases: readonly Case[]]

interface Description<Case> {
  readonly chapters: Readonly<Record<string, readonly Case[]>>
  /** The cases of all files. */
  readonly all: readonly Case[]
  readonly isOf: (one: Case) => boolean
  readonly canHold: (lane: ReadLane, one: Case) => boolean
  readonly describeOn: (lane: ReadLane, chapters: readonly Chapter<Case>[]) => void
}

export function describeCases<Case extends { readonly title: string }>(of: Description<Case>): void {
  const { all, isOf, canHold, describeOn } = of
  const titleOf = ({ title }: Case): string => title
  const described = Object.entries(of.chapters).map(([title, cases]) => [title, cases.filter(isOf)] as const)
  it('leaves out no case, and has no empty chapter', () => {
    expect(described.flatMap(([, cases]) => cases).map(titleOf)).toEqual(all.filter(isOf).map(titleOf))
    expect(described.filter(([, cases]) => cases.length === 0)).toEqual([])
  })
  describe.each(readLanes.map((lane, at) => ({ ...lane, at })))(
    `on $title (QUERNEL_SEED=${fuzzSeed})`,
    ({ at, ...lane }) => {
      const some = described.map(([title, cases]): Chapter<Case> => {
        return [title, casesAt(at, cases, fuzzSeed).filter((one) => canHold(lane, one))]
      })
      describeOn(
        lane,
        some.filter(([, cases]) => cases.length > 0),
      )
    },
  )
}
