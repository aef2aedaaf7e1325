// What a definition that starts from outside is checked by, as createFlows will check it.
import { Cron } from 'croner'
import type { CheckContext } from '../../../src/flows/check/check-context.ts'
import { problemsOf } from '../../../src/flows/check/check-flow.ts'
import { operationTypes, schemes } from '../../../src/flows.ts'
import type { EngineError } from '../../../src/index.ts'

export const contextOf = (more: Partial<CheckContext> = {}): CheckContext => ({
  types: operationTypes,
  collections: new Set(['articles', 'notes']),
  secrets: new Map([
    ['NEW', `whsec_${Buffer.alloc(24, 7).toString('base64')}`],
    ['OLD', 'an old secret of some length'],
  ]),
  hasAccess: true,
  schemes,
  cron: Cron,
  hosts: undefined,
  lacksRuns: null,
  limits: undefined,
  ...more,
})

/** A definition with one operation that is fine. */
export const flowOf = (trigger: object, members: object = {}) => ({
  name: 'f',
  trigger,
  access: 'nobody',
  first: 'o',
  operations: { o: { type: 'log', options: { message: 'x' } } },
  ...members,
})

/** The problems of a definition, each as its path and its message, with the hint. */
export const problemsIn = (
  definition: unknown,
  more: Partial<CheckContext> = {},
): readonly (readonly string[])[] =>
  problemsOf(definition, contextOf(more)).all.map(({ path = [], message, hint }: EngineError) => [
    path.join('.'),
    message,
    ...(hint === undefined ? [] : [hint]),
  ])
