import type { EngineInternals } from '../engine/engine.ts'
import { availableParallelism } from '../values/from-node.ts'
import { memoFor } from '../values/memo.ts'
import { type Images, openImages } from '../variants/images.ts'

const opened = new WeakMap<object, Images>()

/** Returns the image service of an engine, which is opened on first use. All engines that come from one share it. */
export const imagesOf = ({ assets }: Pick<EngineInternals, 'assets'>): Images =>
  memoFor(opened, assets, () => openImages(assets.settings, availableParallelism()))
