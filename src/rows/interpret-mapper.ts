// Hydrates rows by walking through the recipe for each: several times slower than generated code, but possible everywhere.
import { unreachable } from '../errors/errors.ts'
import { shownAs } from '../plan/read/shown-as.ts'
import type { Nested, Recipe } from '../sql/recipe.ts'
import { cutTo, type Mapper, parseList, type Row, type Watch } from './row.ts'

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
