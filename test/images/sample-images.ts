// Pictures for tests, made by the image library itself, and what was made of them.
import sharp, { type Sharp } from 'sharp'
import { type AssetSettings, readSettings } from '../../src/images/asset-settings.ts'
import { readAssetRequest } from '../../src/images/image-request.ts'
import { type Made, makePicture } from '../../src/images/transform.ts'

export type Rgb = readonly [number, number, number]

/** Upper left, upper right, lower left, lower right. */
export const corners = {
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
} as const satisfies Record<string, Rgb>

/** A picture whose pixels a function says. */
export function painted(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly number[],
): Sharp {
  const channels = colourAt(0, 0).length === 4 ? 4 : 3
  const data = Buffer.alloc(width * height * channels)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) data.set(colourAt(x, y), (y * width + x) * channels)
  return sharp(data, { raw: { width, height, channels } })
}

/** Four quarters of four colours. */
export const quarters = (width: number, height: number): Sharp =>
  painted(width, height, (x, y) => {
    const [upper, lower] = x < width / 2 ? [corners.red, corners.blue] : [corners.green, corners.yellow]
    return y < height / 2 ? upper : lower
  })

/** The column and the line of each pixel as its red and its green. */
export const gradient = (width: number, height: number): Sharp =>
  painted(width, height, (x, y) => [
    Math.round((x / Math.max(1, width - 1)) * 255),
    Math.round((y / Math.max(1, height - 1)) * 255),
    128,
  ])

/** One colour. */
export const plain = (width: number, height: number, [r, g, b]: Rgb = corners.red): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r, g, b } } })

/** A gif or webp that moves: each frame has a colour of its own. */
export async function moving(frames: readonly Rgb[], width = 20, height = 10): Promise<Buffer> {
  const data = await Promise.all(frames.map((colour) => plain(width, height, colour).raw().toBuffer()))
  const raw = { width, height: height * frames.length, channels: 3, pageHeight: height } as const
  return await sharp(Buffer.concat(data), { raw })
    .gif({ delay: frames.map((_, index) => 100 + index * 10), loop: 3 })
    .toBuffer()
}

/** What an engine with these settings makes of bytes. */
export async function make(
  bytes: Uint8Array,
  parameters: Readonly<Record<string, unknown>>,
  options: { readonly accept?: string; readonly settings?: AssetSettings } = {},
): Promise<Made> {
  const allowance = readSettings(options.settings, 2)
  const request = readAssetRequest(parameters, allowance, options.accept)
  if (!request) throw new Error('nothing was asked for')
  return await makePicture(sharp, bytes, {
    request,
    focus: request.focus,
    limits: allowance.limits,
    signal: new AbortController().signal,
    // A busy machine is no reason to give up.
    deadline: performance.now() + (options.settings?.limits?.timeoutMs ?? 600_000),
  })
}

export interface Unpacked {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly at: (x: number, y: number) => readonly number[]
}

/** The pixels of a file; of its first frame, where it moves. */
export async function unpacked(bytes: Uint8Array): Promise<Unpacked> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return {
    width,
    height,
    channels,
    at: (x, y) => [...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels)],
  }
}

/** The names of the colours in the four corners. */
export function cornersOf({ width, height, at }: Unpacked): readonly string[] {
  const inset = (length: number) => Math.min(Math.floor(length / 4), 4)
  const [left, top] = [inset(width), inset(height)]
  const [right, bottom] = [width - 1 - left, height - 1 - top]
  const places = [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ] as const
  return places.map(([x, y]) => nameOf(at(x, y)))
}

/** Which of the four colours a pixel has, however it was compressed. */
export function nameOf(pixel: readonly number[]): string {
  const isNear = (colour: Rgb) =>
    colour.every((value, channel) => Math.abs(value - (pixel[channel] ?? 0)) <= 30)
  return Object.entries(corners).find(([, colour]) => isNear(colour))?.[0] ?? `rgb(${pixel.join(', ')})`
}
