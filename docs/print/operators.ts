// The page of reference, made from the tables that the engine itself works by.

import { formats } from '../../src/export/formats.ts'
import type { Family, FieldType } from '../../src/types/families.ts'
import { fieldTypes } from '../../src/types/field-types.ts'
import { type AggregateName, aggregates } from '../../src/vocabulary/aggregates.ts'
import {
  aggregateDocs,
  functionDocs,
  junctionDocs,
  operatorDocs,
  quantifierDocs,
} from '../../src/vocabulary/docs.ts'
import { type FunctionName, functions, relatedAggregates } from '../../src/vocabulary/functions.ts'
import type { OperandKind } from '../../src/vocabulary/operator.ts'
import { type OperatorName, operators, operatorsOf } from '../../src/vocabulary/operators.ts'
import { fieldTypeSentences, variableSentences } from './sentences.ts'
import { code, type Row, section, table } from './tables.ts'

/** The text of `docs/operators.md`. */
export function referencePage(): string {
  return [
    opening,
    section('Operators', operatorsText, ['operator', 'operand', 'works on', 'meaning'], operatorRows()),
    operandText,
    table(['operand', 'is'], Object.entries(operandDocs)),
    `## Operators by type\n\n${byTypeText}\n\n${operatorsByType()}`,
    section('Quantifiers: _some, _none', quantifiersText, ['word', 'meaning'], sentenceRows(quantifierDocs)),
    section('Junctions: _and, _or', junctionsText, ['word', 'meaning'], sentenceRows(junctionDocs)),
    section('Functions: year, count, json', functionsText, ['function', 'works on', 'gives'], functionRows()),
    section(
      'Variables: $NOW, $CURRENT_USER',
      variablesText,
      ['variable', 'stands for'],
      sentenceRows(variableSentences),
    ),
    section(
      'Aggregates: count, sum, avg',
      aggregatesText,
      ['aggregate', 'works on', 'gives'],
      aggregateRows(),
    ),
    section('Field types', fieldTypesText, ['type', 'family', 'value'], fieldTypeRows()),
    section('Export formats', formatsText, ['format', 'file', 'media type', 'is'], formatRows()),
  ].join('\n')
}

const opening = `# Operators, functions and field types

<!-- Printed by \`npm run docs\` from the tables in src/. Change those, not this page. -->

Every operator, function, variable, aggregate and field type, printed from the tables that the engine works by. Use it to look one up;
[filters](filters.md) has explanations and examples, [queries](queries.md) the formats of query strings.

\`\`\`ts
import { compileFilter, defineSchema } from 'quernel'

const schema = defineSchema({
  tags: { fields: { id: { type: 'integer', key: true }, name: { type: 'string', nullable: true } } },
})

compileFilter({ schema, dialect: 'sqlite' }, 'tags', { name: { _nnull: true } }).sql // → '"tags"."name" is not null'
\`\`\`
`

const operatorsText = `The types are grouped by [family](#field-types). Negated operators do not match rows without a value, unless the engine has \`negationMatchesNull\`.
\`_nnull\` and \`_nempty\` are exact complements instead.`

const operandText = 'The operands:\n'

const operandDocs = {
  value: "one value of the field's type, or a variable; `null` with `_eq` and `_neq` only",
  values: 'a list of such values, or comma text; a single value is a list of one',
  pair: 'a list of exactly two such values, or comma text',
  text: 'text, taken literally',
  geometry: 'a GeoJSON geometry',
  flag: '`true`; with `false` the operator means its opposite',
  pattern: 'a regular expression as text, without lookaround and back-references',
} as const satisfies Record<OperandKind, string>

const byTypeText = `A many-to-one field takes the operators of its target's key, and an \`any\` field those of text.
A list (\`array: true\`) takes those of \`json\`, a concealed field those of \`hash\`. A value inside a JSON document
takes the operators of the value that it is compared with: text, a number or a boolean.`

const quantifiersText = 'They stand under a to-many relation and hold a filter on the related items.'
const junctionsText = 'They hold a list of filters, and work wherever a filter does.'

const functionsText = `Use them as a key: \`{ 'year(published_at)': 2024 }\`. \`json\` takes a path too: \`json(meta, size.w)\`.
The parts of a date are whole numbers, read in UTC or in the engine's \`timezone\`.`

const variablesText =
  'Use them as operands. A variable without a value denies: see [variables](filters.md#variables-now-current_user).'

const aggregatesText =
  'Use them in `aggregate` and, for the groups of each parent, in `deep`: see [aggregates and groups](reading.md#aggregates-and-group-by).'

const fieldTypesText =
  '[The schema](schema.md#relations-many-to-one-one-to-many-many-to-many) describes relations. The family decides how values compare.'

const formatsText = 'Formats of the files that [`exportItems`](exporting.md) writes.'
const codes = (words: readonly string[]): string => words.map(code).join(', ')

function operatorRows(): Row[] {
  return Object.entries(operators).map(([name, { operand, families }]) => [
    code(name),
    operand,
    worksOn(families),
    operatorDocs[name as OperatorName],
  ])
}

const sentenceRows = (sentences: Readonly<Record<string, string>>): Row[] =>
  Object.entries(sentences).map(([name, sentence]) => [code(name), sentence])

const allFamilies: readonly Family[] = [...new Set(Object.values(fieldTypes).map(({ family }) => family))]

/** The families, or those left out where they are fewer. */
function worksOn(families: readonly Family[]): string {
  const others = allFamilies.filter((family) => !families.includes(family))
  if (others.length === 0) return 'every type'
  return others.length < families.length ? `all but ${codes(others)}` : codes(families)
}

/** Types that take the same operators share an entry. */
function operatorsByType(): string {
  const types = new Map<string, FieldType[]>()
  for (const [type, { family }] of Object.entries(fieldTypes) as [FieldType, { family: Family }][]) {
    const words = codes(operatorsOf(family))
    types.set(words, [...(types.get(words) ?? []), type])
  }
  return [...types].map(([words, names]) => `- ${codes(names)}: ${words}\n`).join('')
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
