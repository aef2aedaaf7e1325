// Where the engine is known to differ from its documentation. What is listed here is open: a line goes with the mistake.
import { type Caller, judge } from './model.ts'
import { agrees, type Step } from './trial.ts'

const saysOnly = (data: object, names: readonly string[]) =>
  Object.keys(data).every((name) => names.includes(name))

export const known: Readonly<Record<string, (step: Omit<Step, 'isAgreed'>) => boolean>> = {
  // { filter: { author: '$CURRENT_USER' } } and { presets: { team: 1 } } refuse a new note without author, whom the database could fill in. An update
  // gets the presets of a later rule than the first that allows it.
  'of rules that differ in presets the one is chosen that the payload does not rule out, and no other is asked':
    (step) => {
      const { write, caller, told } = step
      if (write.verb === 'delete' || caller.rules === undefined) return false
      const { notes } = caller.rules
      return (['create', 'update'] as const).some((action) => {
        const rules = notes[action] ?? []
        if (write.verb !== 'upsert' && write.verb !== action) return false
        if (rules.length < 2 || !rules.some(({ presets }) => presets)) return false
        if ('problems' in told)
          return told.problems.some(
            ({ code, path }) =>
              (code === 'FORBIDDEN' && path === '') ||
              code === 'FAILED_VALIDATION' ||
              rules.some(({ presets }) => presets?.[path] !== undefined),
          )
        return rules.some((rule) => {
          const alone = {
            ...caller,
            rules: { ...step.caller.rules, notes: { ...notes, [action]: [rule] } },
          } as Caller // of the same tables
          return agrees(step, judge({ ...step, caller: alone }, write, step.newKey))
        })
      })
    },
  // { code: 'c' } with the validation { author: '$CURRENT_USER' }: updateItem without fields is refused.
  'an upsert that says nothing besides what it is found by is answered whatever validations say': ({
    write,
    told,
    tables,
    stored,
  }) =>
    write.verb === 'upsert' &&
    saysOnly(write.data, ['id', write.on]) &&
    'answer' in told &&
    JSON.stringify(stored) === JSON.stringify(tables.notes),
  // A key that is given sets a sequence of PostgreSQL that has not begun yet back from its start to that key.
  'a generated key is taken, since a given one has set the sequence back': ({ write, told }) =>
    'data' in write &&
    !('id' in write.data) &&
    'problems' in told &&
    told.problems.some(({ code, path }) => code === 'RECORD_NOT_UNIQUE' && path === 'id'),
}
