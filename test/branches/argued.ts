// Branches that no test reaches, by file and line of source, and why they stay. Mostly the compiler asks for them: it does not know
// what is said here.
const noSplitIsEmpty = 'What was split has a last part.'
const asManyColumns = 'There is a column for each group and each aggregate.'

export const argued: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/access/caller-scope.ts': {
    'return problems.isEmpty ? predicate : never': 'It guards rows against a bug of ours.',
  },
  'src/access/rules.ts': {
    'problems.add(at ?? path, message, hint)': 'Whatever is wrong with a filter has a place in it.',
  },
  'src/plan/child-lists.ts': {
    "if (!follow) return fault('INVALID_QUERY', `${quote(text)} is not understood.`, { path })":
      'The reader of filters has refused it.',
  },
  'src/plan/resolve-filter.ts': {
    "const kind = wholes[key] ?? 'some'": 'All other words were taken by the lines above.',
  },
  'src/plan/groups.ts': {
    'isAggregate(name) ? fields.map((field) => aggregateOf(level, name, field, fields.length === 1)) : [],':
      'The reader has refused other words.',
    "return { names: [...steps.slice(0, -1), resultName(steps.at(-1) ?? '')], value }": noSplitIsEmpty,
    "const wanted = JSON.stringify([...steps.slice(0, -1), resultName(steps.at(-1) ?? '')])": noSplitIsEmpty,
  },
  'src/plan/filter-node.ts': {
    "typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FilterNode) : {}":
      'The reader has given every name an object.',
    'export const branchesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])':
      'The reader has given every junction a list.',
  },
  'src/plan/operand.ts': {
    'return value.variable ? deny(place) : refuse(place, `takes text, not ${quote(value.given)}`)':
      'What is no variable was made a text by the reader.',
  },
  'src/plan/payload.ts': {
    'if (isEngineError(error)) place.problems.report(error)': 'It is asked of names that are not there.',
  },
  'src/plan/field-path.ts': {
    "const word = relations.pop() ?? ''": noSplitIsEmpty,
    "const last = field.pop() ?? ''": noSplitIsEmpty,
    "const last = steps.at(-1) ?? ''": noSplitIsEmpty,
  },
  'src/plan/selection.ts': {
    "const leads = rest.steps.length > 0 && isField(target) && this.#leadsOn(target, rest.steps[0] ?? '')":
      'It was just seen that there is a step.',
    "const name = typeof word === 'object' ? word.field : (next.split(':')[0] ?? '')": noSplitIsEmpty,
    'if (!isWild) this.#refuse(field)': 'A star leads only where the name is.',
  },
  'src/types/decimal.ts': {
    "const whole = decimalText(rounded).replace(/^-/, '').split('.')[0] ?? ''": noSplitIsEmpty,
  },
  'src/plan/function-call.ts': {
    "if (typeof call !== 'object') return refuse(path, `${quote(text)} is not understood.`)":
      'It is asked of calls that were read before.',
    "const steps = readJsonPath(call.path ?? '')": 'The reader has refused "json" without a path.',
    "if (typeof steps === 'string') return refuse(path, `${quote(text)} is not understood: ${steps}.`)":
      'The reader has read the same path.',
  },
  'src/plan/condition.ts': {
    'return `the count of "${subject.children.name ?? subject.children.target.name}"`':
      'Only what has a name can be counted.',
    "return operator === '_nin' ? allOf(parts) : parts.length === 1 ? (parts[0] ?? always) : anyOf(parts)":
      'A list of one has a first element.',
  },
  'src/plan/list.ts': {
    'return { target: field.targets.get(target.name) ?? target, condition: conditionOf(inner), members }':
      'The collection is one of the targets.',
    'const target = text === undefined ? undefined : level.collection.fields.get(text)':
      'An alias that was read stands for something.',
    "return { ...selected, name: key.split(':')[0] ?? key, below: [asked], scopes }": noSplitIsEmpty,
  },
  'src/plan/validate-item.ts': {
    'return problems.isEmpty ? predicate : never': 'It guards items against a bug of ours.',
    "const name = subject.kind === 'count' ? about : subject.field.name":
      'A count is asked of the database, so it never fails in memory.',
    'else if (isRecord(found)) found = found[step]': 'The path is that of a test in the same filter.',
  },
  'src/sql/keyset.ts': {
    'if (!first) return sql`1 = 0`': 'Every order ends in the key.',
    'last?.isLater ?? sql`1 = 0`,': 'A key that may be null is not the last of an order.',
  },
  'src/sql/frame.ts': {
    ': error': 'An error that has its place, or a bug.',
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
