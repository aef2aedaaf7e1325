// The change log over D1: it is installed by its statements, as there are no transactions, and each look is a request.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { whyNotRun } from '../../drivers/smoke/run-driver.ts'
import { smokeDrivers } from '../../drivers/smoke/smoke-driver.ts'
import { answerOfWorker } from '../../support/workers.ts'

const [worker] = smokeDrivers.filter(({ needs }) => needs === 'miniflare')
const reason = worker && whyNotRun(worker)

it(
  reason === undefined ? 'a log on D1 tells what is written' : `no Worker runs here: ${reason}`,
  async () => {
    if (reason !== undefined) return expect(worker && whyNotRun(worker)).toBe(reason)
    const answer = JSON.parse(await answerOfWorker(join(import.meta.dirname, 'programs/d1.ts')))
    expect(answer).toMatchObject({ refused: 'FORBIDDEN', logged: ['tasks'], rows: 0, again: 0 })
    expect(
      answer.told.map(({ keys, operation }: { keys: unknown; operation: unknown }) => [operation, keys]),
    ).toEqual([
      ['create', [1]],
      [undefined, [1]],
      ['create', [1]],
    ])
    // The log takes nothing away of what can be written there.
    expect(answer.created[1]).toEqual(answer.created[0])
    expect(answer.remarks).toEqual([
      'Each look into the change log is a request here, and there is one every 50 ms.',
    ])
  },
)
