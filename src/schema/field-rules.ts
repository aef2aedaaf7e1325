// Rules on combinations of one field's options.
import { canBeKey, type Family, familyRow, isTemporal } from '../types/families.ts'
import type { ColumnStorage } from '../types/family-row.ts'
import { readJson } from '../types/json.ts'
import { isForeign } from '../types/other.ts'
import { isRecord } from '../values/guards.ts'
import type { AnyDefinition, ManyToOneDefinition, ScalarDefinition } from './definition.ts'
import { valueTypeOf } from './stored-fields.ts'

interface ColumnRule {
  readonly option: 'key' | 'defaulted'
  readonly breaks: (field: Pick<ScalarDefinition, 'key' | 'nullable' | 'default' | 'defaulted'>) => boolean
  readonly says: string
}

const columnRules: readonly ColumnRule[] = [
  {
    option: 'key',
    breaks: (field) => field.key === true && field.nullable === true,
    says: 'a key cannot be nullable.',
  },
  {
    option: 'defaulted',
    breaks: (field) => field.defaulted === true && field.default !== undefined,
    says: 'it has a default here, so the one of the database is never used.',
  },
]

export const anyRules = [
  {
    option: 'to',
    breaks: ({ to = [] }: Partial<AnyDefinition>) => new Set(to).size < to.length,
    says: 'the option "to" names a collection twice.',
  },
]

interface LinkRule {
  readonly option: keyof ManyToOneDefinition
  readonly breaks: (field: Partial<ManyToOneDefinition>) => boolean
  readonly says: string
}

/** Options of a column, which a many-to-one field with "by" does not have. */
const ofColumns = ['key', 'nullable', 'default', 'defaulted', 'unique', 'column', 'special'] as const

export const linkRules: readonly LinkRule[] = [
  ...columnRules,
  {
    option: 'references',
    breaks: ({ references, by }) =>
      references !== undefined && (Array.isArray(references) ? !by?.[1] : by !== undefined),
    says: 'is one field, or a list beside as many in "by".',
  },
  ...ofColumns.map((option) => ({
    option,
    breaks: (field: Partial<ManyToOneDefinition>) => field.by !== undefined && field[option] !== undefined,
    says: `it has no column of its own; the fields in "by" have the option "${option}".`,
  })),
]

interface ScalarRule {
  readonly option: keyof ScalarDefinition
  /** True, or a hint, for a field that breaks it. */
  readonly breaks: (field: ScalarDefinition, family: Family) => boolean | string
  readonly says: string
}

export const scalarRules: readonly ScalarRule[] = [
  ...columnRules,
  {
    option: 'storage',
    breaks: ({ storage }, family) =>
      familyRow(family).storages.every((one: ColumnStorage) => one !== storage),
    says: 'only dates, times and timestamps have the option "storage"; a boolean takes "canonical", a decimal "text", a uuid "text" or "binary", string and text take "mixed".',
  },
  {
    option: 'encoding',
    breaks: ({ type }) => type !== 'binary',
    says: 'only binary fields have the option "encoding".',
  },
  {
    option: 'values',
    breaks: (_, family) => family !== 'text',
    says: 'only string and text fields have the option "values".',
  },
  {
    option: 'values',
    breaks: ({ values = [] }) => new Set(values).size < values.length,
    says: 'the option "values" holds a text twice.',
  },
  {
    option: 'enumType',
    breaks: ({ values }) => values === undefined,
    says: 'the option "enumType" needs "values", the labels of the enum.',
  },
  {
    option: 'databaseType',
    breaks: (_, family) => !isForeign(family),
    says: 'only other and opaque fields have the option "databaseType".',
  },
  {
    option: 'type',
    breaks: ({ databaseType }, family) => databaseType === undefined && isForeign(family),
    says: 'a field of this type has the option "databaseType", the name of the type of its column.',
  },
  {
    option: 'default',
    breaks: ({ values, default: input, array }) =>
      defaultsOf(input, array).some((one) => values?.every((text) => text !== one)),
    says: 'the option "default" is not among "values".',
  },
  {
    option: 'default',
    breaks: ({ values: _, array, ...field }, family) => {
      for (const one of defaultsOf(field.default, array)) {
        const read = one !== null && familyRow(family).store(one, valueTypeOf(field))
        if (read && read.kind === 'mistake') return read.hint ?? true
      }
      return isRefused(field)
    },
    says: 'it cannot hold its option "default".',
  },
  {
    option: 'default',
    breaks: ({ array, default: input }) => array === true && !Array.isArray(input ?? []),
    says: 'the option "default" is a list.',
  },
  {
    option: 'key',
    breaks: (field, family) => field.key === true && (!canBeKey(family) || field.array === true),
    says: 'a field of this type cannot be a key.',
  },
  {
    option: 'generated',
    breaks: (field) => field.generated === true && field.default !== undefined,
    says: 'a generated field has no default.',
  },
  {
    option: 'rowNumber',
    breaks: ({ rowNumber, key }, family) => rowNumber === true && !(key && family === 'integer'),
    says: 'only the key of a collection can be the number of a row, as integer or bigInteger.',
  },
  {
    option: 'srid',
    breaks: (_, family) => family !== 'geometry',
    says: 'only geometry fields have the option "srid".',
  },
  {
    option: 'wide',
    breaks: ({ type }) => type !== 'integer',
    says: 'only integer fields have the option "wide".',
  },
  {
    option: 'special',
    breaks: ({ special = [] }, family) =>
      !isTemporal(family) && special.some((name) => name.startsWith('date-')),
    says: 'the specials "date-created" and "date-updated" need a date, time or timestamp.',
  },
  {
    option: 'schema',
    breaks: (_, family) => family !== 'json',
    says: 'only json fields have the option "schema".',
  },
]

/** The values of a default: none, one, or those of a list. */
function defaultsOf(input: unknown, array?: boolean): readonly unknown[] {
  if (input === null) return []
  return array && Array.isArray(input) ? input : [input]
}

/** True for a default of which the host's validator gives no JSON value at once, as writes want it. */
function isRefused({ schema, default: input }: ScalarDefinition): boolean {
  const read = schema && input !== null && readJson(input)
  if (!read || read.kind === 'mistake') return false
  const result = schema['~standard'].validate(read.value)
  return !isRecord(result) || Array.isArray(result.issues) || readJson(result.value).kind === 'mistake'
}
