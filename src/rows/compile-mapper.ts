// Hydrates rows: makes items of them. The code for each recipe is generated once and compiled by JavaScript
// itself: an object literal with known names is made several times faster than an object that is filled name by
// name.

import { unreachable } from '../errors/errors.ts'
import { shownAs } from '../plan/read/shown-as.ts'
import type { CellRecipe, ItemRecipe, ListRecipe, Nested, Recipe, TupleRecipe } from '../sql/recipe.ts'
import { cutTo, type Mapper, parseList, type Row, type Watch } from './row.ts'

/** Returns the function that makes an item of a driver's row, in which JSON is still text. */
export function compileMapper(recipe: Recipe): Mapper {
  const writer = new MapperWriter()
  const name = writer.row(recipe)
  const source = `${writer.functions.join('\n')}\nreturn ${name}`
  try {
    // Only names and positions get into the text, as JSON; a member called __proto__ is written apart.
    const make = new Function('used', 'parse', 'cutTo', source) as (...input: unknown[]) => Mapper
    return make(writer.used, parseList, cutTo)
  } catch (error) {
    // Some processes are not allowed to compile code from text.
    if (error instanceof EvalError) return interpretMapper(recipe)
    throw error
  }
}

/** In brackets this one is a member; bare it would be the prototype. */
const memberName = (name: string): string => (name === '__proto__' ? `["${name}"]` : JSON.stringify(name))

class MapperWriter {
  readonly functions: string[] = []
  /** Readers and recipes that the code calls by position. */
  readonly used: unknown[] = []

  /** Writes a function of a row, and returns its name. */
  row(recipe: Recipe): string {
    const cells = new Set<number>()
    const value = this.#value(recipe, cells)
    const taken = [...cells].map((at) => `const c${at} = row[${at}]`).join('\n')
    return this.#function('row, watch', `${taken}\nreturn ${value}`)
  }

  #value(recipe: Recipe, cells: Set<number>): string {
    switch (recipe.kind) {
      case 'cell':
        return this.#read(this.#cell(recipe.at, cells), recipe)
      case 'tuple':
        return this.#tuple(recipe, cells)
      case 'shown':
        return `${this.#use(shownAs[recipe.as])}(${this.#value(recipe.recipe, cells)})`
      case 'constant':
        return JSON.stringify(recipe.text)
      case 'item':
        return this.#item(recipe, cells)
      case 'row': {
        const cell = this.#cell(recipe.at, cells)
        return `${cell} === null ? null : ${this.#nested(recipe.row)}(parse(${cell}), watch)`
      }
      case 'list': {
        const cell = this.#cell(recipe.at, cells)
        return `${this.#list(recipe)}(parse(${cell}), watch)`
      }
      case 'arms': {
        const cell = this.#cell(recipe.at, cells)
        const arms = recipe.arms.map(
          ([name, arm]) => `${cell} === ${JSON.stringify(name)} ? (${this.#value(arm, cells)}) : `,
        )
        return `${arms.join('')}null`
      }
      default:
        throw unreachable(`a recipe of kind ${String(recipe satisfies never)}`)
    }
  }

  #cell(at: number, cells: Set<number>): string {
    cells.add(at)
    return `c${at}`
  }

  #read(cell: string, { read, isRare }: CellRecipe): string {
    if (!read) return cell
    return isRare
      ? `typeof ${cell} === 'object' && ${cell} !== null ? ${this.#use(read)}(${cell}) : ${cell}`
      : `${cell} === null ? null : ${this.#use(read)}(${cell})`
  }

  #tuple({ parts }: TupleRecipe, cells: Set<number>): string {
    const absent = parts.map(({ at }) => `${this.#cell(at, cells)} === null`)
    const values = parts.map((part) => this.#read(this.#cell(part.at, cells), part))
    return `(${absent.join(' || ')} ? null : [${values.join(', ')}])`
  }

  #item({ members, presence }: ItemRecipe, cells: Set<number>): string {
    const written = members.map(([name, recipe]) => `${memberName(name)}: ${this.#value(recipe, cells)}`)
    const object = `{ ${written.join(', ')} }`
    return presence === undefined ? object : `${this.#cell(presence, cells)} === null ? null : ${object}`
  }

  #list(recipe: ListRecipe): string {
    const { row, page } = recipe
    const watched = page.isCut ? `if (watch) rows = cutTo(rows, ${this.#use(recipe)}, watch)` : ''
    const each = this.#nested(row)
    const body = `const items = []\nfor (let i = 0; i < rows.length; i++) items.push(${each}(rows[i], watch))\nreturn items`
    return this.#function('rows, watch', `${watched}\n${body}`)
  }

  /** Writes a function of a row inside JSON, and returns its name. */
  #nested({ recipe, isBare, isChunked }: Nested): string {
    const name = this.row(recipe)
    if (isBare) return this.#function('value, watch', `return ${name}([value], watch)`)
    return isChunked ? this.#function('chunks, watch', `return ${name}(chunks.flat(), watch)`) : name
  }

  #use(value: unknown): string {
    return `used[${this.used.push(value) - 1}]`
  }

  #function(parameters: string, body: string): string {
    const name = `f${this.functions.length}`
    this.functions.push(`function ${name}(${parameters}) {\n${body}\n}`)
    return name
  }
}

// Hydrates rows by walking through the recipe for each: several times slower than generated code, but possible everywhere.
export const interpretMapper =
  (recipe: Recipe): Mapper =>
  (row, watch) =>
    valueFrom(recipe, row, watch)

function valueFrom(recipe: Recipe, row: Row, watch: Watch | undefined): unknown {
  switch (recipe.kind) {
    case 'cell': {
      const value = row[recipe.at]
      return value === null || value === undefined || !recipe.read ? value : recipe.read(value)
    }
    case 'tuple': {
      const parts = recipe.parts.map((part) => valueFrom(part, row, watch))
      return parts.includes(null) ? null : parts
    }
    case 'shown':
      return shownAs[recipe.as](valueFrom(recipe.recipe, row, watch))
    case 'constant':
      return recipe.text
    case 'item': {
      if (recipe.presence !== undefined && row[recipe.presence] === null) return null
      const made = recipe.members.map(([name, inner]) => [name, valueFrom(inner, row, watch)] as const)
      return Object.fromEntries(made)
    }
    case 'row': {
      const json = parseList(row[recipe.at])
      return json === null ? null : nestedFrom(recipe.row, json, watch)
    }
    case 'list': {
      const rows = parseList(row[recipe.at]) as unknown[] // as the recipe says
      const kept = watch && recipe.page.isCut ? cutTo(rows, recipe, watch) : rows
      return kept.map((one) => nestedFrom(recipe.row, one, watch))
    }
    case 'arms': {
      const arm = recipe.arms.find(([name]) => name === row[recipe.at])
      return arm ? valueFrom(arm[1], row, watch) : null
    }
    default:
      throw unreachable(`a recipe of kind ${String(recipe satisfies never)}`)
  }
}

function nestedFrom({ recipe, isBare, isChunked }: Nested, json: unknown, watch: Watch | undefined): unknown {
  const row = isBare ? [json] : isChunked ? (json as unknown[]).flat() : json
  return valueFrom(recipe, row as Row, watch) // as the statement selects it
}
