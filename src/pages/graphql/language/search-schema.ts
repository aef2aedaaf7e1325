import type { KnownField, KnownInput, KnownSchema, KnownType } from './known-schema.ts'

interface FoundInSchema {
  readonly types: readonly KnownType[]
  readonly fields: readonly { readonly type: string; readonly name: string }[]
}

/** Maximum number of matches shown; typing more narrows them down. */
const max = 50

/** Returns types and fields whose names hold the words, those that begin with them first. */
export function searchSchema(schema: KnownSchema, words: string): FoundInSchema {
  const wanted = words.toLowerCase()
  const [typeWords, fieldWords] = wanted.includes('.') ? wanted.split('.') : [undefined, wanted]
  const types = [...schema.types.values()].filter(({ name }) => !name.startsWith('__'))
  const fields = types
    .filter(({ name }) => typeWords === undefined || name.toLowerCase().includes(typeWords))
    .flatMap(({ name: type, fields, inputs }) => [...fields.values(), ...inputs.values()].map(nameIn(type)))
  return {
    types: typeWords === undefined ? best(types, wanted) : [],
    fields: best(fields, fieldWords ?? ''),
  }
}

const nameIn =
  (type: string) =>
  ({ name }: KnownField | KnownInput) => ({ type, name })

function best<One extends { readonly name: string }>(all: readonly One[], wanted: string): readonly One[] {
  const holding = all.filter(({ name }) => name.toLowerCase().includes(wanted))
  const begins = ({ name }: One) => Number(name.toLowerCase().startsWith(wanted))
  return holding.sort((one, other) => begins(other) - begins(one)).slice(0, max)
}
