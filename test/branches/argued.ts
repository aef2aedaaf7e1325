// Branches that no test reaches, by file and line of source, and why they stay. Mostly the compiler asks for them: it does not know
// what is said here.
const noSplitIsEmpty = 'What was split has a last part.'
const asManyParts = 'Both have all parts of the same key.'
const asManyColumns = 'There is a column for each group and each aggregate.'

export const argued: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/access/caller-scope.ts': {
    'return problems.isEmpty ? predicate : never': 'It guards rows against a bug of ours.',
  },
  'src/access/collection-view.ts': {
    "const parts = key.parts.map((part) => (part.kind === 'any' ? part : this.#column(part, views)))":
      'No key has a reference to any collection among its parts.',
  },
  'src/access/rules.ts': {
    'problems.add(at ?? path, message, hint)': 'Whatever is wrong with a filter has a place in it.',
  },
  'src/plan/field-path.ts': {
    "const word = relations.pop() ?? ''": noSplitIsEmpty,
    "const last = field.pop() ?? ''": noSplitIsEmpty,
    "const last = steps.at(-1) ?? ''": noSplitIsEmpty,
    "return 'name' in subject.field ? subject.field.name : undefined":
      'Keys of several parts stand under relations, and their names are not asked.',
  },
  'src/plan/filter/validate-row.ts': {
    'if (name === undefined) return []': 'The test of a row in memory is about a field.',
  },
  'src/plan/read/nested-lists.ts': {
    'const above = parent === undefined ? roots : (counts[parent] ?? 0)': 'A list stands behind its parent.',
  },
  'src/plan/read/child-lists.ts': {
    "if (!follow) return fault('INVALID_QUERY', `${quote(text)} is not understood.`, { path })":
      'The reader of filters has refused it.',
  },
  'src/plan/filter/resolve-filter.ts': {
    "const kind = wholes[key] ?? 'some'": 'All other words were taken by the lines above.',
  },
  'src/plan/read/groups.ts': {
    'isAggregate(name) ? fields.map((field) => aggregateOf(level, name, field, fields.length === 1)) : [],':
      'The reader has refused other words.',
    "return { names: [...steps.slice(0, -1), resultName(steps.at(-1) ?? '')], value }": noSplitIsEmpty,
    "const wanted = JSON.stringify([...steps.slice(0, -1), resultName(steps.at(-1) ?? '')])": noSplitIsEmpty,
  },
  'src/plan/filter/filter-node.ts': {
    "typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FilterNode) : {}":
      'The reader has given every name an object.',
    'export const branchesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])':
      'The reader has given every junction a list.',
  },
  'src/plan/filter/operand.ts': {
    'return value.variable ? deny(place) : refuse(place, `takes text, not ${quote(value.given)}`)':
      'What is no variable was made a text by the reader.',
  },
  'src/plan/read/selection.ts': {
    "const leads = rest.steps.length > 0 && isField(target) && this.#leadsOn(target, rest.steps[0] ?? '')":
      'It was just seen that there is a step.',
    "const name = typeof word === 'object' ? word.field : (next.split(':')[0] ?? '')": noSplitIsEmpty,
    'if (!isWild) this.#refuse(field)': 'A star leads only where the name is.',
  },
  'src/types/decimal.ts': {
    "const whole = decimalText(rounded).replace(/^-/, '').split('.')[0] ?? ''": noSplitIsEmpty,
  },
  'src/plan/filter/function-call.ts': {
    "if (typeof call !== 'object') return refuse(path, `${quote(text)} is not understood.`)":
      'It is asked of calls that were read before.',
    "const steps = readJsonPath(call.path ?? '')": 'The reader has refused "json" without a path.',
    "if (typeof steps === 'string') return refuse(path, `${quote(text)} is not understood: ${steps}.`)":
      'The reader has read the same path.',
  },
  'src/plan/filter/condition.ts': {
    'return `the count of "${subject.children.name ?? subject.children.target.name}"`':
      'Only what has a name can be counted.',
    "return operator === '_nin' ? allOf(parts) : parts.length === 1 ? (parts[0] ?? always) : anyOf(parts)":
      'A list of one has a first element.',
  },
  'src/plan/read/list.ts': {
    'return { target: field.targets.get(target.name) ?? target, condition: conditionOf(inner), members }':
      'The collection is one of the targets.',
    'const target = text === undefined ? undefined : level.collection.fields.get(text)':
      'An alias that was read stands for something.',
    "return { ...selected, name: key.split(':')[0] ?? key, below: [asked], scopes }": noSplitIsEmpty,
  },
  'src/plan/write/validate-item.ts': {
    'return problems.isEmpty ? predicate : never': 'It guards items against a bug of ours.',
    'const name = nameIn(subject) ?? about':
      'A count is asked of the database, so it never fails in memory, and a key stands under a relation only.',
    'else if (isRecord(found)) found = found[step]': 'The path is that of a test in the same filter.',
  },
  'src/sql/keyset.ts': {
    'if (!first) return sql`1 = 0`': 'Every order ends in the key.',
    'last?.isLater ?? sql`1 = 0`,': 'A key that may be null is not the last of an order.',
  },
  'src/sql/frame.ts': {
    ': error': 'An error that has its place, or a bug.',
    'some.map((one, index) => sql`${one} = ${others[index] ?? one}`),': asManyParts,
  },
  'src/sql/groups.ts': {
    'const selected = all.map((column, index) => sql`${column.sql} as ${names[index] ?? sql``}`)':
      asManyColumns,
    'sql: sql`${alias}.${names[index] ?? sql``}`,': asManyColumns,
    'return column ? [{ names, recipe: cells.value(setting.dialect.reading(column)) }] : []': asManyColumns,
    "const column = key.kind === 'column' ? columns[names.indexOf(key.names)] : undefined":
      'Groups are ordered by their columns.',
    'return column ? [setting.dialect.orderKey(column, key.isDescending, true)] : []': asManyColumns,
  },
  'src/sql/nested-counts.ts': {
    'const keys = keyColumns(table).map((key, part) => sql`${key} as ${names[part] ?? key}`)': asManyParts,
  },
  'src/sql/tuple.ts': {
    "const partAt = ({ at }: Operand, index: number): Operand => ({ at: partsIn(at)[index] ?? '', exact: true })":
      asManyParts,
  },
  'src/types/tuple.ts': { 'const difference = comparePart(one, right[index] ?? one)': asManyParts },
  'src/types/field-types.ts': {
    "family: type.type === 'tuple' ? 'tuple' : fieldTypes[type.type].family,":
      'No list has keys as its elements.',
  },
  'src/sql/related-value.ts': {
    'if (!first) return comparedColumn(subject, outer, path)': 'A way that is not joined has a step.',
  },
  'src/sql/insert-statement.ts': {
    'if (texts.size >= mostTexts) texts.clear()': 'A full cache is emptied; nothing but time depends on it.',
  },
  'src/vocabulary/regex.ts': {
    "const single = this.#take(this.#flags === 'u' ? atomOfPoints : atomOfUnits)?.[0] ?? ''":
      'A well-formed pattern has a character there.',
  },
}
