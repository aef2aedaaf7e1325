// The tables of reference of filters, aggregates, types and formats, made from the tables that the engine itself works by.

import { formats } from '../../src/export/formats.ts'
import type { Family, FieldType } from '../../src/types/families.ts'
import { fieldTypes } from '../../src/types/field-types.ts'
import { type AggregateName, aggregates } from '../../src/vocabulary/aggregates.ts'
import { aggregateDocs, functionDocs, operatorDocs } from '../../src/vocabulary/docs.ts'
import { type FunctionName, functions, relatedAggregates } from '../../src/vocabulary/functions.ts'
import type { OperandKind } from '../../src/vocabulary/operator.ts'
import { type OperatorName, operators } from '../../src/vocabulary/operators.ts'
import { fieldTypeSentences } from './sentences.ts'
import { code, type Row, table } from './tables.ts'

/** Every operator, and below them what their operands are. */
export const operatorsTable = (): string =>
  [
    table(['operator', 'operand', 'works on', 'meaning'], operatorRows()),
    table(['operand', 'is'], Object.entries(operandDocs)),
  ].join('\n')

export const functionsTable = (): string => table(['function', 'works on', 'gives'], functionRows())

export const aggregatesTable = (): string => table(['aggregate', 'works on', 'gives'], aggregateRows())

export const typesTable = (): string => table(['type', 'family', 'value'], fieldTypeRows())

export const formatsTable = (): string => table(['format', 'file', 'media type', 'is'], formatRows())

const operandDocs = {
  value: "one value of the field's type, or a variable; `null` with `_eq` and `_neq` only",
  values: 'a list of such values, or comma text; a single value is a list of one',
  pair: 'a list of exactly two such values, or comma text',
  text: 'text, taken literally',
  geometry: 'a GeoJSON geometry',
  flag: '`true`; with `false` the operator means its opposite',
  pattern: 'a regular expression as text, without lookaround and back-references',
} as const satisfies Record<OperandKind, string>

const codes = (words: readonly string[]): string => words.map(code).join(', ')

function operatorRows(): Row[] {
  return Object.entries(operators).map(([name, { operand, families }]) => [
    code(name),
    operand,
    worksOn(families),
    operatorDocs[name as OperatorName],
  ])
}

const allFamilies: readonly Family[] = [...new Set(Object.values(fieldTypes).map(({ family }) => family))]

/** The families, or those left out where they are fewer. */
function worksOn(families: readonly Family[]): string {
  const others = allFamilies.filter((family) => !families.includes(family))
  if (others.length === 0) return 'every type'
  return others.length < families.length ? `all but ${codes(others)}` : codes(families)
}

const formatRows = (): Row[] =>
  Object.entries(formats).map(([name, { extension, type, doc }]) => [
    code(name),
    code(`.${extension}`),
    code(type),
    doc,
  ])

function functionRows(): Row[] {
  return Object.entries(functions)
    .map(([name, { families }]) => [
      code(name),
      name === 'count' ? `to-many relations, ${worksOn(families)}` : worksOn(families),
      functionDocs[name as FunctionName],
    ])
    .concat(
      relatedAggregates.map((name) => [
        code(name),
        `a field of a to-many relation: \`${name}(articles.views)\``,
        aggregateDocs[name],
      ]),
    )
}

function aggregateRows(): Row[] {
  return Object.entries(aggregates).map(([name, row]) => [
    code(name),
    'takesStar' in row ? `${worksOn(row.families)}, and \`*\`` : worksOn(row.families),
    aggregateDocs[name as AggregateName],
  ])
}

function fieldTypeRows(): Row[] {
  return Object.entries(fieldTypes).map(([name, { family }]) => [
    code(name),
    family,
    fieldTypeSentences[name as FieldType], // the names are those of the table
  ])
}
