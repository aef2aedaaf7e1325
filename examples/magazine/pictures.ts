// A picture for each article, painted when the magazine is filled: waves in which one colour runs into another.
import { deflateSync } from 'node:zlib'
import { type Engine, listItems, updateItem, uploadFile } from 'quernel'
import type { schema } from './schema.ts'

type Colour = readonly [red: number, green: number, blue: number]

const palettes: readonly (readonly [Colour, Colour])[] = [
  [
    [178, 58, 72],
    [252, 185, 178],
  ],
  [
    [29, 78, 137],
    [125, 207, 182],
  ],
  [
    [31, 64, 55],
    [153, 242, 200],
  ],
]
const width = 1200
const height = 800

/** Gives articles that have none a picture. */
export async function addPictures(engine: Engine<typeof schema>): Promise<void> {
  const { data } = await listItems(engine, 'articles', {
    fields: ['id', 'title'],
    filter: { image: { _null: true }, status: 'published' },
  })
  for (const [at, { id, title }] of data.entries()) {
    const [from, to] = palettes[at % palettes.length] ?? [black, black]
    const filename = `${title.toLowerCase().replace(/\W+/g, '-')}.png`
    const file = await uploadFile(engine, waves(from, to), { filename, title }, { fields: ['id'] })
    await updateItem(engine, 'articles', id, { image: file.id })
  }
}

const black: Colour = [0, 0, 0]

function waves(from: Colour, to: Colour): Uint8Array {
  return png((x, y) => {
    const wave = Math.sin(x / 100) * 45 + Math.sin(x / 42) * 15
    const share = Math.round(((y + wave) / height) * 12) / 12
    return [0, 1, 2].map((at) => Math.round((from[at] ?? 0) * (1 - share) + (to[at] ?? 0) * share))
  })
}

/** A PNG of 8 bits for each of three colours: no more than a header, packed rows, and an end. */
function png(colourAt: (x: number, y: number) => readonly number[]): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  // Each row begins with a zero: its bytes are told as they are.
  const rows = Array.from({ length: height }, (_, y) => {
    const row = new Uint8ClampedArray(1 + width * 3)
    for (let x = 0; x < width; x++) row.set(colourAt(x, y), 1 + x * 3)
    return row
  })
  const packed = deflateSync(Buffer.concat(rows.map(({ buffer }) => new Uint8Array(buffer))))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(checksum(named))
  return Buffer.concat([length, named, check])
}

/** CRC-32, bit by bit: the pictures are few. */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}
