// Files behind a handler: who may do what with them, and forms to bring them with.
import { createHandler, type HandlerOptions } from '../../src/http.ts'
import { type Access, type EngineOptions, uploadFile } from '../../src/index.ts'
import { memoryStorage, type Storage } from '../../src/storage.ts'
import { type Gallery, openGallery } from '../files/gallery-fixture.ts'
import type { TestDatabase } from '../support/databases.ts'
import type { Answer, Sent, Wire } from './transports.ts'

const accesses: Readonly<Record<string, Access<Gallery>>> = {
  admin: { admin: true, user: 'ada' },
  nobody: {},
  reader: { rules: { files: { read: { filter: { title: { _neq: 'Secret' } } } } } },
  uploader: {
    user: 'bo',
    rules: { files: { create: { fields: ['title', 'tags'], validation: { filesize: { _lt: 100 } } } } },
  },
}

export interface OpenGallery {
  readonly handler: ReturnType<typeof createHandler>
  readonly engine: ReturnType<typeof openGallery>
  readonly storage: Storage
  readonly told: unknown[]
  /** Uploads a file without a request. */
  upload(
    body: string | Uint8Array,
    given: Parameters<typeof uploadFile<Gallery, unknown>>[2],
  ): Promise<string>
  readonly db: Awaited<ReturnType<TestDatabase['open']>>['db']
}

export async function openFiles(
  database: TestDatabase,
  options: Partial<HandlerOptions<Gallery>> = {},
  more: Partial<EngineOptions<Gallery>> = {},
): Promise<OpenGallery> {
  const { db } = await database.open()
  const storage = more.storage ?? memoryStorage()
  const engine = openGallery(db, storage, more)
  await engine.install()
  const told: unknown[] = []
  const handler = createHandler(engine, {
    authenticate: (token) =>
      token !== null && Object.hasOwn(accesses, token) ? (accesses[token] ?? null) : null,
    prefix: '/api',
    onError: (error) => told.push(error),
    ...options,
  })
  const upload: OpenGallery['upload'] = async (body, given) => {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
    return (await uploadFile(engine, bytes, given)).id
  }
  return { handler, engine, storage, told, upload, db }
}

type Entry = readonly [name: string, value: string | Blob, filename?: string]

/** A form as a browser sends it. */
export async function formOf(...entries: readonly Entry[]): Promise<Pick<Sent, 'headers' | 'body'>> {
  const form = new FormData()
  for (const [name, value, filename] of entries)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, filename)
  const response = new Response(form)
  const type = response.headers.get('content-type') ?? ''
  return { headers: { 'content-type': type }, body: new Uint8Array(await response.arrayBuffer()) }
}

/** Sends a request line, as somebody. */
export async function sendAs(
  wire: Wire,
  token: string | undefined,
  line: string,
  more: Partial<Pick<Sent, 'headers' | 'body'>> = {},
): Promise<Answer & { readonly json: unknown }> {
  const [method = '', path = ''] = line.split(' ')
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { ...authorization, ...more.headers }
  const answer = await wire.send({ method, path: `/api${path}`, headers, body: more.body })
  const isJson = answer.headers['content-type']?.startsWith('application/json') && method !== 'HEAD'
  return { ...answer, json: isJson && answer.text !== '' ? JSON.parse(answer.text) : undefined }
}

export const jsonBody = (value: unknown): Pick<Sent, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(JSON.stringify(value)),
})
