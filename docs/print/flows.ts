// The operations, made from the rows that flows work by.
import { operationTypes } from '../../src/flows/operations/operation-types.ts'
import { flowDeviations } from '../../test/flows/flow-deviations.ts'
import { code, list } from './tables.ts'

/** The operations, and below each what it takes. What an earlier one takes alike is named alone. */
export function operationsList(): string {
  const told = new Set<string>()
  return Object.entries(operationTypes)
    .map(([name, { kind, doc, options }]) => {
      const rows = Object.entries(options).map(([option, { doc: says, schema }]) =>
        schema.safeParse(undefined).success
          ? `${code(option)}: ${says}`
          : `${code(option)}, required: ${says}`,
      )
      const again = rows.filter((row) => told.has(row)).map((row) => row.split(':')[0])
      const added = rows.filter((row) => !told.has(row))
      for (const row of added) told.add(row)
      const shared = again.length > 0 ? [`as above: ${again.join('; ')}`] : []
      return `### ${name}\n\n${doc} Kind: ${code(kind)}.\n\n${list([...added, ...shared])}`
    })
    .join('\n')
}

/** The decisions by which recorded flows run otherwise here. */
export const flowDeviationsList = (): string => list(flowDeviations.map(({ decision }) => decision))
