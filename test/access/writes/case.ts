// A case of a write under rules: the world and the calls are those of the writes without.
import type { Access, Schema } from '../../../src/index.ts'
import type { WriteCase } from '../../conformance/writes/case.ts'

export interface RuledCase extends WriteCase {
  readonly access: Access<Schema>
}

type Rules = NonNullable<Access<Schema>['rules']>

export const by = (rules: Rules, access: Access<Schema> = {}): Access<Schema> => ({ ...access, rules })

/** Everything in some collections. */
export const all = (...names: readonly string[]): Rules =>
  Object.fromEntries(names.map((name) => [name, { create: true, read: true, update: true, delete: true }]))
