import type { Mistake, Remark } from './mistake.ts'

const inOperation = (title: string, operation: string, ...remarks: Remark[]): Mistake => ({
  title,
  code: [
    `import { defineFlow } from '../../src/flows.ts'`,
    `defineFlow({ name: 'f', trigger: { on: 'flow' }, first: 'o', operations: { o: ${operation} } })`,
  ].join('\n'),
  remarks,
})

export const flowMistakes: readonly Mistake[] = [
  inOperation('an unknown option of an operation', `{ type: 'log', options: { mesage: 'x' } }`, {
    at: 'mesage',
    says: `'mesage' does not exist in type`,
  }),
  inOperation('an unknown type of operation', `{ type: 'lgo', options: { message: 'x' } }`, {
    at: 'type',
    says: `Type '"lgo"' is not assignable to type`,
  }),
  inOperation('a wrong value of an option', `{ type: 'sleep', options: { milliseconds: true } }`, {
    at: 'milliseconds',
    says: `Type 'boolean' is not assignable to type`,
  }),
  inOperation('an option that is missing', `{ type: 'trigger', options: {} }`, {
    at: 'o',
    says: 'is not assignable to type',
  }),
  inOperation(
    'an unknown option inside of a list',
    `{ type: 'for-each', options: { list: [1], first: 'i', operations: { i: { type: 'log', options: { mesage: 1 } } } } }`,
    { at: 'mesage', says: `'mesage' does not exist in type` },
  ),
  {
    title: 'an unknown trigger',
    code: [
      `import { defineFlow } from '../../src/flows.ts'`,
      `defineFlow({ name: 'f', trigger: { on: 'items.crate', collections: ['a'], when: 'before' } })`,
    ].join('\n'),
    remarks: [{ at: 'on', says: `Type '"items.crate"' is not assignable to type` }],
  },
]
