// What an engine knows of pictures. Nothing of the image library is in its types: they are the package's, and the library may be missing.

import { type AssetSettings, readSettings } from '../images/asset-settings.ts'
import { readAssetRequest } from '../images/image-request.ts'
import type { Storage } from '../storage/storage.ts'
import { type Variant, variantOf } from './pipeline.ts'
import { openRenderSlots } from './render-slots.ts'
import type { SourceRow } from './source-file.ts'
import { variantsOf } from './variant-key.ts'

/** Makes what was asked for of a file, or finds what was made before. */
export type Order = (
  file: SourceRow,
  where: { readonly storage: Storage; readonly signal?: AbortSignal | undefined },
) => Promise<Variant>

export interface Images {
  /** The folder of files that are uploaded without one. */
  readonly defaultFolder: string | undefined
  readonly allowed: 'all' | 'presets' | 'none'
  /** The keys of presets. */
  readonly presets: readonly string[]
  /** How many operations may stand in `transforms`. */
  readonly operations: number
  /** Reads parameters. Undefined where they ask for the file as it is stored. */
  readonly ordered: (parameters: unknown, accept: string | undefined) => Order | undefined
  /** Lets go of what is remembered of a file's variants, which are deleted. */
  readonly forget: (id: string) => void
}

/** Checks the settings of an engine, and opens its workshop. */
export function openImages(settings: AssetSettings | undefined, cores: number): Images {
  const allowance = readSettings(settings, cores)
  const workshop = openRenderSlots(allowance)
  return {
    defaultFolder: allowance.defaultFolder,
    allowed: allowance.allowed,
    presets: [...allowance.presets.keys()],
    operations: allowance.limits.operations,
    ordered(parameters, accept) {
      const request = readAssetRequest(parameters, allowance, accept)
      return request && ((file, where) => variantOf(file, request, { ...where, workshop }))
    },
    forget: (id) => workshop.shelf.forget(variantsOf(id)),
  }
}
