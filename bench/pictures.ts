// Who makes pictures: sharp by hand, and Quernel with what it stores of them.
import { randomUUID } from 'node:crypto'
import { createReadStream, mkdtempSync, readFileSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import {
  createEngine,
  defineSchema,
  filesDefinition,
  purgeVariants,
  transformAsset,
  uploadFile,
} from 'quernel'
import { sqliteDialect } from 'quernel/sqlite'
import { fileStorage } from 'quernel/storage'
import sharp, { type Sharp } from 'sharp'

export interface Look {
  readonly format: 'jpg' | 'webp' | 'avif'
  readonly width: number
  readonly height: number
}

export type Make = (look: Look) => Promise<Buffer>

/** Whoever makes pictures of the photo. */
export interface Painter {
  readonly name: string
  /** Ways to make one, by name. */
  readonly forms: Readonly<Record<string, Make>>
  /** Forgets what was stored, so that all are new; absent where nothing is stored. */
  readonly forget?: () => Promise<unknown>
  /** Ways to get one that was made before. */
  readonly stored: Readonly<Record<string, Make>>
  readonly close: () => Promise<unknown>
}

export const quality = 75

const encode = {
  jpg: (image: Sharp) => image.jpeg({ quality }),
  webp: (image: Sharp) => image.webp({ quality }),
  // Quernel's effort, for all: the usual one of 4 takes several times as long.
  avif: (image: Sharp) => image.avif({ quality, effort: 2 }),
} as const

/** What the forms for stored pictures are asked for. */
export const storedLook: Look = { format: 'webp', width: 400, height: 300 }

const made = ({ format, width, height }: Look, source: string | Buffer) =>
  encode[format](sharp(source).resize(width, height, { fit: 'cover' })).toBuffer()

/** Nothing is stored but what the forms for stored pictures read. */
export async function handPainter(photo: string): Promise<Painter> {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-bench-hand-'))
  const placeOf = ({ format, width }: Look) => join(folder, `${width}.${format}`)
  const forms = {
    file: (look: Look) => made(look, photo),
    bytes: async (look: Look) => made(look, await readFile(photo)),
  }
  await writeFile(placeOf(storedLook), await forms.file(storedLook))
  return {
    name: 'hand',
    forms,
    stored: {
      readFile: (look) => readFile(placeOf(look)),
      createReadStream: (look) => bytesOf(createReadStream(placeOf(look))),
    },
    close: () => rm(folder, { recursive: true }),
  }
}

/** Stores what it makes, each picture whole or not at all, and looks at nothing besides. */
export async function storingPainter(photo: string): Promise<Painter> {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-bench-storing-'))
  const stored = async (look: Look) => {
    const data = await made(look, photo)
    const draft = join(folder, randomUUID())
    await writeFile(draft, data)
    await rename(draft, join(folder, `${look.width}.${look.format}`))
    return data
  }
  return {
    name: 'hand, stored',
    forms: { file: stored },
    stored: {},
    close: () => rm(folder, { recursive: true }),
  }
}

export async function quernelPainter(photo: string): Promise<Painter> {
  const root = mkdtempSync(join(tmpdir(), 'quernel-bench-files-'))
  const db = new Kysely<Record<string, never>>({
    dialect: sqliteDialect({ database: new Database(':memory:') }),
  })
  const schema = defineSchema({ files: filesDefinition })
  const engine = createEngine({ db, schema, storage: fileStorage({ root }) })
  await engine.install()
  const { id } = await uploadFile(engine, readFileSync(photo), { filename: 'photo.jpg' })
  const make: Make = async ({ format, width, height }) => {
    const { body } = await transformAsset(engine, id, { width, height, fit: 'cover', format, quality })
    return await bytesOf(body)
  }
  return {
    name: 'quernel',
    forms: { transformAsset: make },
    forget: () => purgeVariants(engine, id),
    stored: { transformAsset: make },
    close: async () => {
      await db.destroy()
      await rm(root, { recursive: true })
    },
  }
}

/** Read as a server reads it: without a Blob around it, and without a copy of what comes in one piece. */
async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const [first, ...others] = chunks
  return first && others.length === 0
    ? Buffer.from(first.buffer, first.byteOffset, first.length)
    : Buffer.concat(chunks)
}
