// The image service of an engine. None of its types comes from the image library: they are types of the
// package, and the library may be missing.

import { readSettings } from '../images/asset-settings.ts'
import { type ImageRequest, readAssetRequest } from '../images/image-request.ts'
import type { Storage } from '../storage/storage.ts'
import { variantsOf } from '../storage/variant-prefix.ts'
import { findOrMakeVariant, type Variant } from './find-or-make.ts'
import { openRenderer } from './renderer.ts'
import type { SourceRow } from './source-file.ts'

export interface Images {
  /** The folder of files that are uploaded without one. */
  readonly defaultFolder: string | undefined
  readonly allowed: 'all' | 'presets' | 'none'
  readonly presets: readonly string[]
  /** The maximum number of operations in `transforms`. */
  readonly operations: number
  /** Reads parameters. Returns undefined if they request the file as it is stored. */
  readonly readRequest: (parameters: unknown, accept: string | undefined) => ImageRequest | undefined
  /** Returns the requested variant of a file: a stored one, or a new one. */
  readonly variant: (
    file: SourceRow,
    request: ImageRequest,
    where: { readonly storage: Storage; readonly signal?: AbortSignal | undefined },
  ) => Promise<Variant>
  /** Removes a file's variants from the index after they were deleted. */
  readonly forget: (id: string) => void
}

/** Checks the settings of an engine, and returns its image service. */
export function openImages(settings: unknown, cores: number): Images {
  const allowance = readSettings(settings, cores)
  const renderer = openRenderer(allowance)
  return {
    defaultFolder: allowance.defaultFolder,
    allowed: allowance.allowed,
    presets: [...allowance.presets.keys()],
    operations: allowance.limits.operations,
    readRequest: (parameters, accept) => readAssetRequest(parameters, allowance, accept),
    variant: (file, request, where) => findOrMakeVariant(file, request, { ...where, renderer }),
    forget: (id) => renderer.index.forget(variantsOf(id)),
  }
}
