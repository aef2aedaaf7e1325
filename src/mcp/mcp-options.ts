// Options of the tools for agents.
import { randomBytes } from 'node:crypto'
import { checkOptions, flag, type OptionKind, optionNames, text } from '../errors/check-options.ts'

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
}

const secret: OptionKind = {
  says: 'is a text of at least 32 characters',
  holds: (input) => typeof input === 'string' && input.length >= 32,
}
const off: OptionKind = { says: 'is false or left out', holds: (input) => input === false }

export const mcpKinds = { write: flag, explain: flag, confirm: off, confirmKey: secret, name: text }
const names = optionNames<McpOptions>(mcpKinds)

/** Options that are complete, with the plans that were carried out. */
export interface McpSettings extends Required<Omit<McpOptions, 'confirm' | 'confirmKey'>> {
  readonly confirmsCreates: boolean
  readonly key: string | Buffer
  /** Signatures of plans that were carried out, with the moment at which they end. */
  readonly used: Map<string, number>
}

/** Checks options, and completes them. */
export function mcpSettings(options: McpOptions): McpSettings {
  checkOptions(options, names)
  const { write = false, explain = false, confirm, confirmKey, name = 'quernel' } = options
  const key = confirmKey ?? randomBytes(32)
  return { write, explain, name, confirmsCreates: confirm !== false, key, used: new Map() }
}
