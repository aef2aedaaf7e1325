import type { Mistake, Remark } from './mistake.ts'

const inRules = (title: string, rules: string, ...remarks: Remark[]): Mistake => ({
  title,
  code: [
    `import type { Rules } from '../../src/access/access.ts'`,
    "import type { Shop } from './schema.ts'",
    `export const rules: Rules<Shop> = ${rules}`,
  ].join('\n'),
  remarks,
})

export const ruleMistakes: readonly Mistake[] = [
  inRules('an unknown collection in rules', '{ artikles: { read: true } }', {
    at: 'artikles',
    says: "'artikles' does not exist in type",
  }),
  inRules('an unknown action', '{ tags: { raed: true } }', {
    at: 'raed',
    says: "'raed' does not exist in type",
  }),
  inRules('an unknown field of a rule', `{ tags: { read: { fields: ['nam'] } } }`, {
    at: 'read',
    says: `is not assignable to type 'Grant<Schema<…, "all">, "tags">`,
  }),
  inRules('an unknown part of a rule', '{ tags: { read: { filters: {} } } }', {
    at: 'filters',
    says: "'filters' does not exist in type",
  }),
  inRules('an unknown field in the filter of a rule', `{ tags: { read: { filter: { nam: 'x' } } } }`, {
    at: 'nam',
    says: `is not assignable to type 'Grant<Schema<…, "all">, "tags">`,
  }),
  inRules('an unknown field in a validation', `{ tags: { create: { validation: { nam: 'x' } } } }`, {
    at: 'nam',
    says: `is not assignable to type 'Grant<Schema<…, "all">, "tags">`,
  }),
  inRules('an unknown field of a preset', `{ tags: { create: { presets: { nam: 'x' } } } }`, {
    at: 'nam',
    says: `is not assignable to type 'Grant<Schema<…, "all">, "tags">`,
  }),
]
