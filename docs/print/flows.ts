// The operations, made from the rows that flows work by.
import { operationTypes } from '../../src/flows/operations/operation-types.ts'
import { flowDeviations } from '../../test/flows/flow-deviations.ts'
import { code, list } from './tables.ts'

/** The operations, and below each what it takes. */
export const operationsList = (): string =>
  Object.entries(operationTypes)
    .map(([name, { kind, doc, options }]) => {
      const rows = Object.entries(options).map(([option, { doc: says, schema }]) =>
        schema.safeParse(undefined).success
          ? `${code(option)}: ${says}`
          : `${code(option)}, required: ${says}`,
      )
      return `### ${name}\n\n${doc} Kind: ${code(kind)}.\n\n${list(rows)}`
    })
    .join('\n')

/** The decisions by which recorded flows run otherwise here. */
export const flowDeviationsList = (): string => list(flowDeviations.map(({ decision }) => decision))
