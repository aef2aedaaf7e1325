import { randomBytes } from 'node:crypto'
import { checkOptions, flag, type OptionKind, optionNames, text } from '../errors/check-options.ts'
import { isRecord } from '../values/guards.ts'
import type { Bounds } from './bounded.ts'

/** Options of the tools for agents. */
export interface McpOptions {
  /** True for tools that create, update and delete what the rules of the caller allow. By default nothing is written. */
  readonly write?: boolean
  /** True for the tool that explains queries and rules, which discloses both. */
  readonly explain?: boolean
  /** False to create items at once. All other writes need a second call that confirms the plan. */
  readonly confirm?: false
  /** Secret of at least 32 characters by which plans are signed. By default each process draws its own. */
  readonly confirmKey?: string
  /** Name of the server. By default `quernel`. */
  readonly name?: string
  /** The collections that the tools know. All others are as hidden as by rules. By default all that the rules of the caller allow. */
  readonly collections?: readonly string[]
  /** Bounds of an answer: `items` from 1 to 100, by default 25, and `characters` from 2,000 to 200,000, by default 20,000. */
  readonly limits?: Partial<Bounds>
}

const secret: OptionKind = {
  says: 'is a text of at least 32 characters',
  holds: (input) => typeof input === 'string' && input.length >= 32,
}
const off: OptionKind = { says: 'is false or left out', holds: (input) => input === false }

const names: OptionKind = {
  says: 'is a list of names',
  holds: (input) => Array.isArray(input) && input.every((name) => typeof name === 'string'),
}
const between = (least: number, most: number): OptionKind => ({
  says: `is a whole number from ${least} to ${most}`,
  holds: (input) => Number.isInteger(input) && Number(input) >= least && Number(input) <= most,
})

const bounds: OptionKind = { says: 'is an object', holds: isRecord }

export const mcpKinds = {
  write: flag,
  explain: flag,
  confirm: off,
  confirmKey: secret,
  name: text,
  collections: names,
  limits: bounds,
}
const boundNames = optionNames<Bounds>({ items: between(1, 100), characters: between(2_000, 200_000) })
const optionNamesOfTools = optionNames<McpOptions>(mcpKinds)

export interface McpSettings extends Required<Pick<McpOptions, 'write' | 'explain' | 'name'>> {
  readonly collections: readonly string[] | undefined
  readonly bounds: Bounds
  readonly confirmsCreates: boolean
  readonly key: string | Buffer
  /** Signatures of plans that were carried out, with the moment at which they end. */
  readonly used: Map<string, number>
}

/** Checks options, and completes them. */
export function mcpSettings(options: McpOptions): McpSettings {
  checkOptions(options, optionNamesOfTools)
  const { write = false, explain = false, confirm, confirmKey, name = 'quernel', collections } = options
  const { limits = {} } = options
  checkOptions(limits, boundNames, ['limits'])
  const { items = 25, characters = 20_000 } = limits
  return {
    write,
    explain,
    name,
    collections,
    bounds: { items, characters },
    confirmsCreates: confirm !== false,
    key: confirmKey ?? randomBytes(32),
    used: new Map(),
  }
}
