// Whether a group meets the conditions on its aggregates, read word by word.
import { fieldNames, type Row, type World } from './dataset.ts'
import { aggregated, resultType } from './expression.ts'
import { partNames } from './moments.ts'
import { holds, isOperator } from './operators.ts'

export type Having = Readonly<Record<string, unknown>>

interface Subject {
  readonly world: World
  readonly collection: string
  readonly rows: readonly Row[]
}

export function meetsHaving(subject: Subject, having: Having): boolean {
  return Object.entries(having).every(([word, condition]) => {
    if (word === '_and') return membersOf(condition).every((member) => meetsHaving(subject, member))
    if (word === '_or') return membersOf(condition).some((member) => meetsHaving(subject, member))
    return meetsAggregate(subject, word, conditionOf(condition))
  })
}

// Conditions are data of the tests' own making.
const membersOf = (operand: unknown) => operand as readonly Having[]
const conditionOf = (operand: unknown): Having => {
  if (operand === null) return { _null: true }
  return typeof operand === 'object' ? (operand as Having) : { _eq: operand }
}

function meetsAggregate(subject: Subject, word: string, condition: Having): boolean {
  return Object.entries(condition).every(([name, operand]) => {
    if (name === '_or') return membersOf(operand).some((member) => meetsAggregate(subject, word, member))
    if (isOperator(name)) return holds(name, operand, 'integer', subject.rows.length)
    return meetsField(subject, word, name, conditionOf(operand))
  })
}

function meetsField(subject: Subject, word: string, name: string, condition: Having): boolean {
  const { world, collection, rows } = subject
  const field = name === '*' ? name : called(world, collection, name)
  const value = aggregated(world, collection, rows, word, field)
  const type = resultType(world, collection, word, field)
  return Object.entries(condition).every(([operator, operand]) =>
    operator === '_or'
      ? membersOf(operand).some((member) => meetsField(subject, word, name, member))
      : holds(operator, operand, type, value),
  )
}

/** `published_at_year` is `year(published_at)`, unless a field has that name. */
function called(world: World, collection: string, name: string): string {
  if (fieldNames(world, collection).includes(name)) return name
  const functions = [...partNames, 'count'].map((word) => ({ word, field: name.slice(0, -word.length - 1) }))
  const found = functions.find(
    ({ word, field }) => name === `${field}_${word}` && fieldNames(world, collection).includes(field),
  )
  return found ? `${found.word}(${found.field})` : name
}
