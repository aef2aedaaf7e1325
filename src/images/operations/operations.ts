// The table of operations: the entries that `transforms` may have.
import { fault, type Path, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import type { KindSchema } from '../parameter-kinds.ts'
import { colourOperations } from './colour-operations.ts'
import type { ImageStep, Operation } from './operation.ts'
import { operationNames, sameOperations } from './operation-names.ts'
import { outputOperations } from './output-operations.ts'
import { pixelOperations } from './pixel-operations.ts'
import { shapeOperations } from './shape-operations.ts'

export const operations = {
  ...shapeOperations,
  ...pixelOperations,
  ...colourOperations,
  ...outputOperations,
} as const satisfies Record<(typeof operationNames)[number], Operation>

const names: readonly string[] = [...operationNames, ...Object.keys(sameOperations)]

/** Reads one entry of `transforms`: a name and its arguments. */
export function readStep(entry: unknown, path: Path): ImageStep {
  if (!Array.isArray(entry) || entry.length === 0)
    throw fault(
      'INVALID_QUERY',
      `An operation is a list of its name and its arguments, not ${quote(entry)}.`,
      {
        path,
        hint: 'Such as ["blur", 5].',
      },
    )
  const [word, ...input]: readonly unknown[] = entry
  const name = isSame(word) ? sameOperations[word] : word
  if (!isOperation(name)) {
    throw fault('INVALID_QUERY', `There is no operation ${quote(word)}.`, {
      path: [...path, 0],
      hint: typeof word === 'string' ? suggestion(word, names) : undefined,
    })
  }
  return operations[name].read(name, input, path)
}

export function entrySchemas(): readonly KindSchema[] {
  return Object.entries(operations).map(([name, { doc, takes, options }]) => {
    const others = Object.entries(sameOperations).flatMap(([other, same]) => (same === name ? [other] : []))
    const ordered = Object.values(takes).map(({ schema }) => ({ anyOf: [schema, options] }))
    return {
      type: 'array',
      description: doc,
      prefixItems: [{ enum: [name, ...others] }, ...ordered],
      items: options,
      minItems: 1,
      // The name, the arguments in order, and an object for some of them.
      maxItems: ordered.length + 2,
    }
  })
}

const isSame = (word: unknown): word is keyof typeof sameOperations =>
  typeof word === 'string' && Object.hasOwn(sameOperations, word)
const isOperation = (word: unknown): word is keyof typeof operations =>
  typeof word === 'string' && Object.hasOwn(operations, word)
