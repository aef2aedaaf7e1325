// JSON text that Node writes: of the objects that forms answer.
import type { Form, Forms } from '../contestant.ts'
import type { WorkloadName } from '../workloads.ts'

/** The forms of these names, whose answers are made text. */
export function stringified(forms: Forms, names: Partial<Readonly<Record<WorkloadName, string>>>): Forms {
  const made: [string, Readonly<Record<string, Form>>][] = []
  for (const [workload, name] of Object.entries(names)) {
    const form = forms[workload as WorkloadName]?.[name] // the keys of the table are workloads
    if (!form) throw new Error(`${workload} has no form "${name}".`)
    // One item is answered by itself, and as text in a list like the others.
    const whole = (answer: unknown) => (workload === 'W6' ? { data: [answer] } : answer)
    made.push([workload, { [name]: async (turn) => JSON.stringify(whole(await form(turn))) }])
  }
  return Object.fromEntries(made)
}
