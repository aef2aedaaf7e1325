// Obstacles to adding a column or a foreign key.
import { type ManyToOne, partsOf, referencedFields, type StoredField } from '../schema/model.ts'
import { fieldTypes } from '../types/field-types.ts'
import { isCounter, startOf } from './addition-statements.ts'
import type { SchemaDifference } from './differences.ts'
import { columnIn, type FoundTables } from './find-differences.ts'

export const reasons: Readonly<Partial<Record<SchemaDifference['kind'], string>>> = {
  type: 'the type of a column is not altered',
  nullable: 'what a column allows is not altered',
  default: 'the schema does not say which',
  generated: 'the schema does not say how',
  'foreign key': 'none that is there is dropped',
  'own table': 'engine.install() knows what to do',
  'change log': '"quernel changes install" mends it',
  unreadable: 'it is not known what it lacks',
}

export const lackingColumn = 'a column of it is not written'

type Reason = string | undefined

/** Knows of each field what is there, and what will be. */
export class Obstacles {
  readonly #found: FoundTables
  /** Fields whose columns will not be there. */
  readonly lacking = new Set<StoredField>()
  /** Fields that will be unique together. */
  readonly unique: (readonly StoredField[])[] = []
  /** True if foreign keys are added to tables that are there. */
  readonly addsKeys: boolean

  constructor(found: FoundTables) {
    this.#found = found
    this.addsKeys = found.phrases.hasSchemas === true
  }

  /** The reason why no column can be made for a field. */
  obstacleOf(field: StoredField): Reason {
    if (field.kind === 'scalar' && field.isRowNumber) return 'it is no column'
    if (field.kind === 'scalar' && field.isGenerated && !isCounter(field)) return reasons.generated
    return this.addsKeys && field.value.enumType !== undefined ? 'types are not created' : undefined
  }

  /** The reason why no column can be added to rows that are there. */
  obstacleOfRows(field: StoredField): Reason {
    const table = this.#found.tableOf(field.collection)
    if (!table?.keepsKeys) return 'it is no plain table'
    if (field.isKey) return 'rows that are there would have no key'
    if (!field.isNullable && startOf(field) === undefined) return 'rows that are there would have no value'
    return undefined
  }

  isMissing(field: StoredField): boolean {
    const found = this.#found
    const table = found.tableOf(field.collection)
    return !table || !columnIn(table, field, found.phrases)
  }

  /** True for a relation that no foreign key can be for. */
  isApart({ collection, target }: ManyToOne): boolean {
    const table = this.#found.tableOf(target)
    return table?.keepsKeys === false || (!this.addsKeys && collection.dbSchema !== target.dbSchema)
  }

  /** The reason why a foreign key cannot be made. */
  obstacleOfKey(link: ManyToOne): Reason {
    const own = partsOf(link)
    const others = referencedFields(link)
    if ([...own, ...others].some((field) => this.lacking.has(field))) return lackingColumn
    if (!this.#isUnique(others)) return 'nothing keeps unique what it refers to'
    const isOfOneType = own.every((field, at) => this.#formOf(field) === this.#formOf(others[at]))
    return this.addsKeys && !isOfOneType ? 'its columns have other types' : undefined
  }

  #isUnique(fields: readonly StoredField[]): boolean {
    const found = this.#found
    const isSame = (some: readonly string[]) => {
      const names = fields.map(({ column }) => found.phrases.sameName(column))
      return (
        some.length === names.length && some.every((name) => names.includes(found.phrases.sameName(name)))
      )
    }
    const collection = fields[0]?.collection
    const table = collection && found.tableOf(collection)
    const made = this.unique.filter(([one]) => one?.collection === collection)
    return [
      table?.primaryKey ?? [],
      ...(table?.uniqueKeys ?? []),
      ...made.map((all) => all.map(({ column }) => column)),
    ].some(isSame)
  }

  /** The form of the values of a column: columns of one form can be compared. */
  #formOf(field: StoredField | undefined): string {
    if (!field) return ''
    const found = this.#found
    const table = found.tableOf(field.collection)
    const column = table && columnIn(table, field, found.phrases)
    if (!column) return `${field.value.family} ${field.value.storage ?? field.value.databaseType ?? ''}`
    const { type, databaseType } = found.phrases.guess(column)
    return `${fieldTypes[type].family} ${databaseType ?? column.enum?.name ?? ''}`
  }
}
