// Where the engine is known to differ from its documentation. What is listed here is open: a line goes with the mistake.
import { type Caller, judge } from './model.ts'
import { agrees, type Step } from './trial.ts'

const saysOnly = (data: object, names: readonly string[]) =>
  Object.keys(data).every((name) => names.includes(name))

const ofStorage = ['value', 'range', 'schema', 'unique', 'key']

export const known: Readonly<Record<string, (step: Omit<Step, 'isAgreed'>) => boolean>> = {
  // Whether { filter: { author: { name: 'Ada' } } } allows a note is asked of the stored row, and without its state it cannot be stored: the
  // next rule, { presets: { state: 'open' } }, is tried though the first would hold.
  'a rule with whose presets a row cannot be stored is passed over if only the stored row tells whether it holds':
    (step) => {
      const { outcome, caller } = step
      if (!('refusals' in outcome) || !caller.rules) return false
      if (!outcome.refusals.every(({ kind }) => ofStorage.includes(kind))) return false
      const { rules } = caller
      const { notes } = rules
      return (['create', 'update'] as const).some((action) =>
        (notes[action] ?? []).some((rule) => {
          const others = { ...notes, [action]: notes[action]?.filter((one) => one !== rule) }
          const without: Caller = { ...caller, rules: { ...rules, notes: others as typeof notes } }
          return agrees(step, judge({ ...step, caller: without }, step.write, step.newKey))
        }),
      )
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
}
