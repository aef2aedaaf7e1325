// Measures realtime alone, with fewer callers where it is to be quick: `--only=R1,R4 --database=sqlite --callers=1000 --seconds=2`.
import '../production.ts'
import { parseArgs } from 'node:util'
import { readOptions } from '../options.ts'
import { measureRealtime, missedRealtime } from './measure-realtime.ts'

const { values } = parseArgs({
  options: {
    callers: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: 'R1,R2,R3,R4,R5,R6,R7,R8,R9,R10,R11,R12,R13,R14,R15' },
    database: { type: 'string' },
  },
})
const callers = Number(values.callers)
if (!(callers >= 200 && callers % 200 === 0)) throw new Error('Callers are hundreds, an even number of them.')
const { databases, realtime } = readOptions([
  `--only=${values.only}`,
  ...(values.database === undefined ? [] : [`--database=${values.database}`]),
])
const outcomes = await measureRealtime({ databases, realtime, seconds: Number(values.seconds) }, callers)
for (const sentence of missedRealtime(outcomes)) console.error(sentence)
