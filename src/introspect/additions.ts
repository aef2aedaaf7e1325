// The SQL that adds to a database what it lacks of a schema. Whatever would change what is there is a comment.
import { render, type Sql, sql } from '../dialects/sql.ts'
import { type Collection, isStored, keyFieldsOf, type ManyToOne, type StoredField } from '../schema/model.ts'
import { createIndex, installStatements } from '../sql/install.ts'
import { lackingColumn, Obstacles, reasons } from './addition-obstacles.ts'
import { addColumn, addForeignKey, createTable, isCounter, startOf } from './addition-statements.ts'
import type { SchemaComparison } from './check-schema.ts'
import {
  type Finding,
  noColumn,
  noDefault,
  noForeignKey,
  noIndex,
  noTable,
  notGenerated,
  notUnique,
  uniquesOf,
} from './differences.ts'

/** Returns the SQL as a file, in an order in which it runs. It is never run here. */
export const additionsFor = (comparison: SchemaComparison): string => new Additions(comparison).text()

class Additions {
  readonly #comparison: SchemaComparison
  readonly #statements = {
    schemas: new Set<string>(),
    tables: [] as string[],
    columns: [] as string[],
    indexes: [] as string[],
    keys: [] as string[],
  }
  readonly #comments: string[] = []
  readonly #obstacles: Obstacles
  /** Tables that are created, and columns that are added, by their names. */
  readonly #made = new Set<string>()
  /** Collections whose tables are created. */
  readonly #new = new Set<Collection>()

  constructor(comparison: SchemaComparison) {
    this.#comparison = comparison
    this.#obstacles = new Obstacles(comparison.found)
    const of = (kind: Finding['difference']['kind']) =>
      comparison.findings.filter(({ difference }) => difference.kind === kind)
    const tables = of('table').flatMap(({ collection }) => collection ?? [])
    for (const collection of tables) this.#planTable(collection)
    for (const one of of('column')) this.#planColumn(one)
    for (const one of of('unique')) this.#addUnique(one)
    for (const one of of('own table')) this.#addOwn(one)
    for (const one of of('index')) this.#addIndex(one)
    for (const collection of this.#new) if (tables.includes(collection)) this.#createTable(collection)
    for (const one of of('column')) this.#addColumn(one)
    for (const one of of('foreign key')) this.#addForeignKey(one)
    for (const collection of this.#new)
      for (const link of linksOf(collection)) this.#addLinkOfNew(link, tables)
    for (const kind of ['type', 'nullable', 'default', 'generated', 'change log', 'unreadable'] as const)
      for (const one of of(kind)) this.#comment(one, reasons[kind] ?? '')
  }

  text(): string {
    const { schemas, tables, columns, indexes, keys } = this.#statements
    const statements = [...schemas, ...tables, ...columns, ...indexes, ...keys].map((text) => `${text};\n`)
    return [...statements, ...this.#comments].join('')
  }

  get #dialect() {
    return this.#comparison.engine.dialect
  }

  #text = (piece: Sql): string => render(piece, this.#dialect).sql

  #comment({ difference }: Finding, reason: string): void {
    this.#comments.push(`-- Not written, as ${reason}: ${difference.message}\n`)
  }

  #planTable(collection: Collection): void {
    const stored = storedIn(collection)
    const key = keyFieldsOf(collection)
    const place = JSON.stringify([collection.dbSchema, collection.table])
    const lost = stored.filter((field) => this.#obstacles.obstacleOf(field) !== undefined)
    const reason = this.#made.has(place)
      ? 'another collection has a table of that name'
      : key.some((field) => lost.includes(field))
        ? 'a column of its key cannot be'
        : stored.length === lost.length && 'none of its columns can be'
    for (const field of reason ? stored : lost) this.#obstacles.lacking.add(field)
    if (reason) {
      this.#comment(noTable(collection), reason)
      return
    }
    this.#made.add(place)
    this.#new.add(collection)
    const { collections } = this.#comparison.found.schema
    for (const fields of uniquesOf(collection, collections.values()))
      if (fields.some((field) => this.#obstacles.lacking.has(field)))
        this.#comment(notUnique(fields, collection), lackingColumn)
      else this.#obstacles.unique.push(fields)
  }

  #planColumn(one: Finding): void {
    const [field] = one.fields
    if (!field) return
    const reason = this.#obstacles.obstacleOf(field) ?? this.#obstacles.obstacleOfRows(field)
    if (reason === undefined) return
    this.#obstacles.lacking.add(field)
    this.#comment(one, reason)
  }

  #createTable(collection: Collection): void {
    const { found } = this.#comparison
    const { collections } = found.schema
    const { dbSchema } = collection
    const isThere = [...collections.values()].some((one) => one.dbSchema === dbSchema && found.tableOf(one))
    if (this.#obstacles.addsKeys && dbSchema !== undefined && !isThere)
      this.#statements.schemas.add(
        this.#text(sql`create schema if not exists ${this.#dialect.identifier(dbSchema)}`),
      )
    const stored = storedIn(collection).filter((field) => !this.#obstacles.lacking.has(field))
    const uniques = this.#obstacles.unique.filter(([field]) => field?.collection === collection)
    const links = this.#obstacles.addsKeys ? [] : linksOf(collection)
    const sound = links.filter(
      (link) => !this.#obstacles.isApart(link) && !this.#obstacles.obstacleOfKey(link),
    )
    this.#statements.tables.push(
      this.#text(createTable({ collection, stored, uniques, links: sound }, this.#dialect)),
    )
    for (const field of storedIn(collection)) this.#addToNew(field)
  }

  /** Adds the index of a field of a new table, and names what its column lacks. */
  #addToNew(field: StoredField): void {
    const isGenerated = field.kind === 'scalar' && field.isGenerated
    if (field.kind === 'scalar' && field.isRowNumber) return
    const isToIndex = field.kind === 'scalar' && field.isIndexed && !field.isUnique && !field.isKey
    if (this.#obstacles.lacking.has(field)) {
      this.#comment(noColumn(field), this.#obstacles.obstacleOf(field) ?? '')
      if (isToIndex && !this.#obstacles.addsKeys) this.#comment(noIndex(field), lackingColumn)
      return
    }
    if (isGenerated) this.#comment(notGenerated(field), 'the key is counted up where none is given')
    if (field.isDefaulted && !isCounter(field)) this.#comment(noDefault(field), reasons.default ?? '')
    if (isToIndex) this.#index([field], false)
  }

  #addColumn({ fields: [field] }: Finding): void {
    if (!field || this.#obstacles.lacking.has(field)) return
    const place = JSON.stringify([field.collection.dbSchema, field.collection.table, field.column])
    if (this.#made.has(place)) return
    this.#made.add(place)
    const link = field.kind === 'm2o' && this.#isWithColumn(field) ? field : undefined
    this.#statements.columns.push(this.#text(addColumn(field, link, this.#dialect)))
    if (field.isDefaulted && (field.isNullable || startOf(field) === undefined))
      this.#comment(noDefault(field), reasons.default ?? '')
  }

  /** True for a relation whose foreign key is a part of its new column. */
  #isWithColumn(link: ManyToOne): boolean {
    const isAdded = !this.#obstacles.addsKeys && 'column' in link && this.#obstacles.isMissing(link)
    return isAdded && !this.#obstacles.isApart(link) && !this.#obstacles.obstacleOfKey(link)
  }

  #addUnique(one: Finding): void {
    const { fields } = one
    const isAlike = fields.every((field) => !field.isNullable && this.#obstacles.isMissing(field))
    if (fields.some((field) => this.#obstacles.lacking.has(field))) this.#comment(one, lackingColumn)
    else if (isAlike) this.#comment(one, 'rows that are there would all have the same value')
    else {
      this.#obstacles.unique.push(fields)
      this.#index(fields, true)
    }
  }

  #addIndex(one: Finding): void {
    if (one.fields.some((field) => this.#obstacles.lacking.has(field))) this.#comment(one, lackingColumn)
    else this.#index(one.fields, false)
  }

  #index(fields: readonly StoredField[], isUnique: boolean): void {
    const [first] = fields
    if (!first) return
    const index = {
      fields: fields.map(({ name }) => name),
      ...(isUnique && { isUnique, suffix: 'unique' }),
    }
    // An index of another table may have its name, which shall be an error.
    this.#statements.indexes.push(this.#text(createIndex(index, first, this.#dialect, sql``)))
  }

  #addOwn(one: Finding): void {
    if (!one.own) return
    const { table, parts, indexes } = one.own
    if (!parts) {
      this.#new.add(table.collection)
      this.#obstacles.unique.push(keyFieldsOf(table.collection))
      this.#statements.tables.push(
        ...installStatements(table, parts, this.#dialect).map((statement) => statement.sql),
      )
    } else if (indexes.length === 0 || indexes.some(({ before }) => before))
      this.#comment(one, reasons['own table'] ?? '')
    else
      for (const index of indexes)
        this.#statements.indexes.push(this.#text(createIndex(index, table, this.#dialect)))
  }

  #addForeignKey(one: Finding): void {
    const { link, difference } = one
    if (!link || this.#isWithColumn(link)) return
    const reason = difference.found === null ? this.#obstacles.obstacleOfKey(link) : reasons['foreign key']
    if (reason) this.#comment(one, reason)
    else if (this.#obstacles.addsKeys) this.#addKey(link)
    else this.#comment(one, 'this database adds none to a column that is there')
  }

  #addLinkOfNew(link: ManyToOne, tables: readonly Collection[]): void {
    if (this.#obstacles.isApart(link) || !this.#comparison.found.schema.collections.has(link.collection.name))
      return
    const reason = this.#obstacles.obstacleOfKey(link)
    if (reason) this.#comment(noForeignKey(link, null), reason)
    else if (this.#obstacles.addsKeys) this.#addKey(link)
    else if (!tables.includes(link.collection))
      this.#comment(noForeignKey(link, null), 'the engine creates its table without one')
  }

  #addKey(link: ManyToOne): void {
    this.#statements.keys.push(this.#text(addForeignKey(link, this.#dialect)))
  }
}

const storedIn = ({ fields }: Collection): readonly StoredField[] => [...fields.values()].filter(isStored)

const linksOf = ({ fields }: Collection): readonly ManyToOne[] =>
  [...fields.values()].filter((field): field is ManyToOne => field.kind === 'm2o')
