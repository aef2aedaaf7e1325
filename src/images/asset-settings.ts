// Settings of image transformations of an engine.
import { combine, type EngineError, fault, isEngineError, type Path, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { isRecord } from '../values/guards.ts'
import { type AssetLimits, assetLimitsWith, type defaultAssetLimits } from './image-limits.ts'
import { type AssetParameters, type ParametersInput, readParameters } from './image-parameters.ts'

/** A named set of parameters. */
export interface AssetPreset extends Omit<AssetParameters, 'key' | 'focal_point_x' | 'focal_point_y'> {
  /** Name under which requests ask for it. */
  readonly key: string
}

/** Settings for transforming files that are pictures. */
export interface AssetSettings {
  /** `presets` allows `key` alone, `none` only files as they are stored. */
  readonly allowed?: 'all' | 'presets' | 'none'
  /** Images that have a name: requests ask for them by `key`. */
  readonly presets?: readonly AssetPreset[]
  /** The folder of files that are uploaded without one. */
  readonly defaultFolder?: string
  /** Limits of images. Those that are left out have their defaults. */
  readonly limits?: { readonly [Name in keyof typeof defaultAssetLimits]?: number }
}

export interface Allowance {
  readonly allowed: 'all' | 'presets' | 'none'
  readonly presets: ReadonlyMap<string, ParametersInput>
  readonly defaultFolder: string | undefined
  readonly limits: AssetLimits
}

const ways = ['all', 'presets', 'none'] as const
const names = ['allowed', 'presets', 'defaultFolder', 'limits'] as const

/** Checks the settings of assets.
 *  @example readSettings({ allowed: 'presets', presets: [{ key: 'thumbnail', width: 100 }] }, 4) */
export function readSettings(settings: unknown, cores: number): Allowance {
  const input = recordAt(settings ?? {}, ['assets'])
  for (const name of Object.keys(input)) checkName(name)
  const { allowed = 'all', presets = [], defaultFolder, limits } = input
  const way = ways.find((one) => one === allowed)
  if (way === undefined)
    throw refusal(['assets', 'allowed'], `It is one of ${ways.join(', ')}, not ${quote(allowed)}.`)
  if (defaultFolder !== undefined && (typeof defaultFolder !== 'string' || defaultFolder === ''))
    throw refusal(['assets', 'defaultFolder'], `It is the key of a folder, not ${quote(defaultFolder)}.`)
  const checked = assetLimitsWith(recordAt(limits ?? {}, ['assets', 'limits']), cores)
  return { allowed: way, presets: readPresets(presets, checked), defaultFolder, limits: checked }
}

function checkName(name: string): void {
  if (names.some((one) => one === name)) return
  throw refusal(['assets', name], `There is no setting ${quote(name)}.`, suggestion(name, names))
}

function recordAt(value: unknown, path: Path): Record<string, unknown> {
  if (isRecord(value)) return value
  throw refusal(path, `It is an object, not ${quote(value)}.`)
}

function readPresets(presets: unknown, limits: AssetLimits): ReadonlyMap<string, ParametersInput> {
  const path = ['assets', 'presets']
  if (!Array.isArray(presets)) throw refusal(path, `They are a list, not ${quote(presets)}.`)
  const read = new Map<string, ParametersInput>()
  for (const [index, preset] of presets.entries()) {
    const place = [...path, index]
    const { key, ...look } = recordAt(preset, place)
    if (typeof key !== 'string' || key === '')
      throw refusal([...place, 'key'], `A preset has a text as its key, not ${quote(key)}.`)
    if (read.has(key)) throw refusal([...place, 'key'], `There is a preset ${quote(key)} already.`)
    const input = lookOf(look, place)
    if ((input.transforms?.length ?? 0) > limits.operations)
      throw refusal(
        [...place, 'transforms'],
        `There are more operations than the limit of ${limits.operations}.`,
      )
    read.set(key, input)
  }
  return read
}

/** Reads the parameters of a preset. The host wrote them, so the mistakes are the host's. */
function lookOf(look: unknown, path: Path): ParametersInput {
  try {
    return readParameters(look, ['key', 'focal_point_x', 'focal_point_y'])
  } catch (error) {
    if (!isEngineError(error)) throw error
    throw combine((error.errors ?? [error]).map((problem) => moved(problem, path)))
  }
}

const moved = ({ message, path = [], hint }: EngineError, below: Path) =>
  fault('INVALID_OPTIONS', message, { path: [...below, ...path], hint })

const refusal = (path: Path, message: string, hint?: string) =>
  fault('INVALID_OPTIONS', message, { path, hint })
