// A1 to A6: pictures of a photo, made anew and made before.
import sharp from 'sharp'
import { contest, type Entrant, type Result } from './contest.ts'
import type { Options } from './options.ts'
import { photoFile } from './photo.ts'
import {
  handPainter,
  type Look,
  type Make,
  type Painter,
  quernelPainter,
  storedLook,
  storingPainter,
} from './pictures.ts'
import { printResults } from './tables.ts'
import type { AssetWorkload } from './workloads.ts'

export interface AssetOutcome {
  readonly workload: AssetWorkload
  readonly results: readonly Result[]
}

export async function measureAssets(options: Options): Promise<readonly AssetOutcome[]> {
  // It remembers work on equal sources, which a server never sees twice in a row.
  sharp.cache(false)
  const photo = await photoFile()
  const painters = [
    await handPainter(photo),
    await storingPainter(photo),
    await quernelPainter(photo),
    await openIpx(photo),
  ]
  const outcomes: AssetOutcome[] = []
  try {
    for (const workload of options.assets) {
      const painted = painters.flatMap((painter) => tasks[workload](painter))
      await checkLikeness(workload, painted)
      const results = await contest(painted.map(entrantOf), () => noTurn, options.seconds)
      printResults(workload, results)
      outcomes.push({ workload, results })
    }
  } finally {
    for (const { close } of painters) await close()
  }
  return outcomes
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

/** Loaded by name, so that types can be checked before it is installed. */
async function openIpx(photo: string): Promise<Painter> {
  const module: { readonly openPainter: (photo: string) => Painter } = await import(
    new URL('./peers/ipx.ts', import.meta.url).href
  )
  return module.openPainter(photo)
}

interface Task extends Pick<Entrant, 'party' | 'form'> {
  readonly before?: () => Promise<unknown>
  readonly run: () => Promise<readonly Buffer[]>
}

/** What a run makes with one of the forms. */
type Work = (make: Make) => Promise<readonly Buffer[]>

const one =
  (format: Look['format']): Work =>
  async (make) => [await make({ ...storedLook, format })]
/** All of the photo's own ratio: how a pixel too many is cut off is nobody's mistake. */
const many: Work = (make) =>
  Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      make({ format: 'webp', width: 400 + 4 * index, height: 300 + 3 * index }),
    ),
  )
const same: Work = (make) => Promise.all(Array.from({ length: 16 }, () => make(storedLook)))

const anew =
  (work: Work) =>
  ({ name, forms, forget }: Painter): readonly Task[] =>
    Object.entries(forms).map(([form, make]) => ({
      party: name,
      form,
      ...(forget && { before: forget }),
      run: () => work(make),
    }))

const tasks: Readonly<Record<AssetWorkload, (painter: Painter) => readonly Task[]>> = {
  A1: anew(one('jpg')),
  A2: anew(one('webp')),
  A3: anew(one('avif')),
  A4: ({ name, stored }) =>
    Object.entries(stored).map(([form, make]) => ({ party: name, form, run: () => one('webp')(make) })),
  A5: anew(many),
  // Nobody has less to do than who makes it once.
  A6: (painter) => anew(painter.name.startsWith('hand') ? one('webp') : same)(painter),
}

const entrantOf = ({ party, form, before, run }: Task): Entrant => ({
  party,
  form,
  run,
  ...(before && { before }),
})

/** Speed counts only among pictures of the same size and kind that look alike, in files of about the same length. */
async function checkLikeness(workload: AssetWorkload, tasks: readonly Task[]): Promise<void> {
  const [first, ...others] = tasks
  const expected = (await first?.run()) ?? []
  for (const { party, form, run } of others) {
    const own = await run()
    for (const [index, picture] of own.entries()) {
      const difference = await differenceOf(picture, expected[index] ?? expected[0])
      if (difference) throw new Error(`${workload}: ${party} (${form}) makes another picture: ${difference}`)
    }
  }
}

async function differenceOf(own: Buffer, other: Buffer | undefined): Promise<string | undefined> {
  if (!other) return 'there is none to compare it with'
  const [one, two] = [await sharp(own).metadata(), await sharp(other).metadata()]
  for (const fact of ['format', 'width', 'height', 'compression'] as const)
    if (one[fact] !== two[fact]) return `${fact} ${one[fact]} instead of ${two[fact]}`
  if (Math.abs(own.length / other.length - 1) > 0.1) return `${own.length} bytes instead of ${other.length}`
  const [light, lights] = [await sharp(own).raw().toBuffer(), await sharp(other).raw().toBuffer()]
  const mean = light.reduce((sum, value, at) => sum + Math.abs(value - (lights[at] ?? 0)), 0) / light.length
  return mean > 2 ? `lights differ by ${mean.toFixed(1)}` : undefined
}
