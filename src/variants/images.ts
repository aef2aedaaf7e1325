// The image service of an engine. None of its types comes from the image library: they are types of the
// package, and the library may be missing.

import { type AssetSettings, readSettings } from '../images/asset-settings.ts'
import { readAssetRequest } from '../images/image-request.ts'
import type { Storage } from '../storage/storage.ts'
import { type Variant, variantOf } from './pipeline.ts'
import { openRenderSlots } from './render-slots.ts'
import type { SourceRow } from './source-file.ts'
import { variantsOf } from './variant-key.ts'

/** Returns the requested variant of a file: a stored one, or a new one. */
export type Order = (
  file: SourceRow,
  where: { readonly storage: Storage; readonly signal?: AbortSignal | undefined },
) => Promise<Variant>

export interface Images {
  /** The folder of files that are uploaded without one. */
  readonly defaultFolder: string | undefined
  readonly allowed: 'all' | 'presets' | 'none'
  /** The keys of the presets. */
  readonly presets: readonly string[]
  /** The maximum number of operations in `transforms`. */
  readonly operations: number
  /** Reads parameters. Returns undefined if they request the file as it is stored. */
  readonly ordered: (parameters: unknown, accept: string | undefined) => Order | undefined
  /** Removes a file's variants from the index after they were deleted. */
  readonly forget: (id: string) => void
}

/** Checks the settings of an engine, and returns its image service. */
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
