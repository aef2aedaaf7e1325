// Rules on combinations of one field's options.
import { canBeKey, type Family, familyRow, isTemporal } from '../types/families.ts'
import type { ColumnStorage } from '../types/family-row.ts'
import { isForeign } from '../types/other.ts'
import type { AnyDefinition, ManyToOneDefinition, ScalarDefinition } from './definition.ts'
import { valueTypeOf } from './stored-fields.ts'

/** A rule on the options that every field with a column has. */
export interface ColumnRule {
  readonly option: 'key' | 'defaulted'
  readonly breaks: (field: Pick<ScalarDefinition, 'key' | 'nullable' | 'default' | 'defaulted'>) => boolean
  readonly says: string
}

export const columnRules: readonly ColumnRule[] = [
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

/** A rule on the options of a many-to-one field. */
export interface LinkRule {
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

export interface ScalarRule {
  readonly option: keyof ScalarDefinition
  readonly breaks: (field: ScalarDefinition, family: Family) => boolean
  readonly says: string
}

export const scalarRules: readonly ScalarRule[] = [
  ...columnRules,
  {
    option: 'storage',
    breaks: ({ storage }, family) =>
      storage !== undefined && family === 'boolean' && !isStoredSo(storage, family),
    says: 'the storage of a boolean is "canonical", or left out.',
  },
  {
    option: 'storage',
    breaks: ({ storage }, family) =>
      storage !== undefined && family !== 'boolean' && !isStoredSo(storage, family),
    says: 'only dates, times and timestamps have the option "storage"; a decimal takes "text", a uuid "text" or "binary", string and text take "mixed".',
  },
  {
    option: 'encoding',
    breaks: ({ encoding, type }) => encoding !== undefined && type !== 'binary',
    says: 'only binary fields have the option "encoding".',
  },
  {
    option: 'values',
    breaks: ({ values }, family) => values !== undefined && family !== 'text',
    says: 'only string and text fields have the option "values".',
  },
  {
    option: 'values',
    breaks: ({ values }) => values !== undefined && new Set(values).size < values.length,
    says: 'the option "values" holds a text twice.',
  },
  {
    option: 'enumType',
    breaks: ({ enumType, values }) => enumType !== undefined && values === undefined,
    says: 'the option "enumType" needs "values", the labels of the enum.',
  },
  {
    option: 'databaseType',
    breaks: ({ databaseType }, family) => databaseType !== undefined && !isForeign(family),
    says: 'only other and opaque fields have the option "databaseType".',
  },
  {
    option: 'type',
    breaks: ({ databaseType }, family) => databaseType === undefined && isForeign(family),
    says: 'a field of this type has the option "databaseType", the name of the type of its column.',
  },
  {
    option: 'default',
    breaks: (field) => field.values !== undefined && !defaultsOf(field).every((one) => isAmong(one, field)),
    says: 'the option "default" is not among "values".',
  },
  {
    option: 'default',
    breaks: ({ values: _, ...field }, family) => {
      const type = valueTypeOf({ ...field, array: false })
      return defaultsOf(field).some(
        (one) => one !== null && familyRow(family).store(one, type).kind === 'mistake',
      )
    },
    says: 'it cannot hold its option "default".',
  },
  {
    option: 'default',
    breaks: ({ array, default: input }) => array === true && Boolean(input) && !Array.isArray(input),
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
    breaks: ({ rowNumber, key, type }) => rowNumber === true && !(key === true && isWhole(type)),
    says: 'only the key of a collection can be the number of a row, as integer or bigInteger.',
  },
  {
    option: 'srid',
    breaks: ({ srid }, family) => srid !== undefined && family !== 'geometry',
    says: 'only geometry fields have the option "srid".',
  },
  {
    option: 'wide',
    breaks: ({ wide, type }) => wide !== undefined && type !== 'integer',
    says: 'only integer fields have the option "wide".',
  },
  {
    option: 'special',
    breaks: ({ special }, family) =>
      (special ?? []).some((name) => name.startsWith('date-') && !isTemporal(family)),
    says: 'the specials "date-created" and "date-updated" need a date, time or timestamp.',
  },
  {
    option: 'schema',
    breaks: ({ schema }, family) => schema !== undefined && family !== 'json',
    says: 'only json fields have the option "schema".',
  },
]

const isWhole = (type: string) => type === 'integer' || type === 'bigInteger'

const isStoredSo = (storage: ColumnStorage, family: Family): boolean =>
  familyRow(family).storages.includes(storage)

/** The values of a default: none, one, or those of a list. */
function defaultsOf({ default: input, array }: ScalarDefinition): readonly unknown[] {
  if (input === undefined || input === null) return []
  return array && Array.isArray(input) ? input : [input]
}

const isAmong = (value: unknown, { values }: ScalarDefinition) =>
  values?.some((one) => one === value) ?? false
