import { type Path, quote } from '../errors/errors.ts'
import { wordHint } from '../errors/suggest.ts'
import { type AggregateName, aggregates, isAggregate } from '../vocabulary/aggregates.ts'
import { readNames } from './read-names.ts'
import { type QueryReader, readObject } from './reader.ts'

type Aggregate = Readonly<Record<string, readonly string[]>>

/** Reads `{ count: '*', sum: ['views'] }`. */
export function readAggregate(value: unknown, path: Path, reader: QueryReader): Aggregate | undefined {
  const { problems, limits } = reader
  const read: Record<string, readonly string[]> = {}
  for (const [name, fields, isText] of readObject(value, path, reader, '"aggregate"') ?? []) {
    if (problems.isFull) break
    const at = [...path, name]
    if (isAggregate(name)) read[name] = readFields(name, fields, at, { ...reader, isText })
    else refuse(name, at, reader)
  }
  const requested = Object.values(read).flat().length
  if (requested > limits.aggregates)
    problems.add(path, `"aggregate" takes at most ${limits.aggregates} fields.`)
  return Object.keys(read).length === 0 ? undefined : read
}

function readFields(name: AggregateName, value: unknown, path: Path, reader: QueryReader): readonly string[] {
  const problemsBefore = reader.problems.all.length
  const fields = readNames(value, path, reader, reader.limits.aggregates)
  const takesStar = 'takesStar' in aggregates[name]
  if (!fields && reader.problems.all.length === problemsBefore) {
    const hint = takesStar ? 'Name fields, or * to count rows.' : undefined
    reader.problems.add(path, `"${name}" names no field.`, hint)
  }
  if (fields?.includes('*') && !takesStar) {
    reader.problems.add(path, `"${name}" takes fields, not "*".`)
  }
  return fields ?? []
}

function refuse(name: string, path: Path, { problems }: QueryReader): void {
  if (name === 'countAll') {
    problems.add(path, '"countAll" belongs to GraphQL.', 'Write aggregate[count]=*')
    return
  }
  const names = Object.keys(aggregates)
  const message = `There is no aggregate ${quote(name)}; there are ${names.join(', ')}.`
  problems.add(path, message, () => wordHint('aggregate', name, names))
}
