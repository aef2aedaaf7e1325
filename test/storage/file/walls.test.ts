// Nothing outside of the root can be read, written or deleted, whatever is put in the way.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openStored } from '../../../src/storage/opened-file.ts'
import { fileStorage, type Storage } from '../../../src/storage.ts'
import { text } from '../../../src/testing/storage/bodies.ts'
import { failureOf, keysOf, readWhole } from '../../../src/testing/storage/storage-case.ts'
import { fsWith } from '../failing-fs.ts'
import { folders } from '../folder.ts'

const folder = folders()

let home = ''
let root = ''
let outside = ''
let storage: Storage
beforeEach(async () => {
  home = await folder()
  root = join(home, 'assets')
  // Its path begins as that of the root does.
  outside = join(home, 'assets2')
  await mkdir(join(outside, 'inner'), { recursive: true })
  await writeFile(join(outside, 'secret'), 'secret')
  await writeFile(join(outside, 'inner/secret'), 'secret')
  storage = fileStorage({ root })
  await storage.write('folder/secret', text('public'))
})

const verbs: readonly (readonly [string, (storage: Storage, key: string) => Promise<unknown>])[] = [
  ['read', (storage, key) => storage.read(key)],
  ['open', (storage, key) => openStored(storage, key)],
  ['stat', (storage, key) => storage.stat(key)],
  ['write', (storage, key) => storage.write(key, text('mine'))],
  ['delete', (storage, key) => storage.delete(key)],
]

async function expectUntouched(): Promise<void> {
  expect((await readdir(outside, { recursive: true })).sort()).toEqual(['inner', 'inner/secret', 'secret'])
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
  expect(await readFile(join(outside, 'inner/secret'), 'utf8')).toBe('secret')
}

describe.each(verbs)('%s', (_, call) => {
  const keys = [
    '../assets2/secret',
    'folder/../../assets2/secret',
    '/etc/passwd',
    'folder/../secret',
    'folder\0',
    'folder/secret\0.png',
    '.quernel/x',
    '..',
    '.',
  ]
  it('refuses keys that lead elsewhere before anything is touched', async () => {
    for (const key of [...keys, join(outside, 'secret')]) {
      const touching: string[] = []
      const fs = fsWith((name) => void touching.push(name))
      const error = await failureOf(() => call(fileStorage({ root, fs }), key))
      expect(error).toMatchObject({ code: 'INVALID_PAYLOAD', path: ['key'] })
      expect(touching).toEqual([])
    }
    await expectUntouched()
  })

  const links = [
    { of: 'a file outside', at: 'link', to: () => join(outside, 'secret'), key: 'link' },
    { of: 'a file outside, by a relative path', at: 'link', to: () => '../assets2/secret', key: 'link' },
    { of: 'a folder outside', at: 'link', to: () => outside, key: 'link/secret' },
    {
      of: 'a folder outside, further down',
      at: 'folder/link',
      to: () => outside,
      key: 'folder/link/inner/secret',
    },
    { of: 'the folder around the root', at: 'link', to: () => home, key: 'link/assets2/secret' },
    { of: 'the root itself', at: 'link', to: () => root, key: 'link/folder/secret' },
    { of: 'a file inside', at: 'link', to: () => join(root, 'folder/secret'), key: 'link' },
    { of: 'itself', at: 'link', to: () => join(root, 'link'), key: 'link' },
    { of: 'nothing', at: 'link', to: () => join(outside, 'nothing'), key: 'link' },
  ]
  it.each(links)('refuses a link to $of', async ({ at, to, key }) => {
    await symlink(to(), join(root, at))
    expect(await failureOf(() => call(storage, key))).toMatchObject({ code: 'FORBIDDEN', path: ['key'] })
    await expectUntouched()
    expect(await keysOf(storage, '')).toEqual(['folder/secret'])
    expect(await readWhole(storage, 'folder/secret')).toEqual(Buffer.from('public'))
  })

  it('refuses a link that took the place of a folder it has used', async () => {
    await storage.read('folder/secret').then((stream) => stream.cancel())
    await rename(join(root, 'folder'), join(root, 'before'))
    await symlink(outside, join(root, 'folder'))
    expect(await failureOf(() => call(storage, 'folder/secret'))).toMatchObject({ code: 'FORBIDDEN' })
    await expectUntouched()
  })

  it('refuses a link that took the place of a file it has used', async () => {
    await unlink(join(root, 'folder/secret'))
    await symlink(join(outside, 'secret'), join(root, 'folder/secret'))
    expect(await failureOf(() => call(storage, 'folder/secret'))).toMatchObject({ code: 'FORBIDDEN' })
    await expectUntouched()
  })
})

it('a list follows no link', async () => {
  await symlink(outside, join(root, 'link'))
  await symlink(join(outside, 'secret'), join(root, 'folder/link'))
  expect(await keysOf(storage, '')).toEqual(['folder/secret'])
  expect(await failureOf(() => keysOf(storage, 'link/'))).toMatchObject({ code: 'FORBIDDEN' })
})

it('makes no folders behind a link', async () => {
  await symlink(outside, join(root, 'link'))
  expect(await failureOf(() => storage.write('link/new/file', text('x')))).toMatchObject({
    code: 'FORBIDDEN',
  })
  await expectUntouched()
})

it('fills no file behind a link', async () => {
  await rm(join(root, '.quernel'), { recursive: true })
  await symlink(outside, join(root, '.quernel'))
  expect(await failureOf(() => storage.write('file', text('x')))).toMatchObject({ code: 'FORBIDDEN' })
  await expectUntouched()
})

it('gives no byte of a file whose folder became a link just before it was opened', async () => {
  let isSwapped = false
  const fs = fsWith(async (call) => {
    if (call !== 'open') return
    isSwapped = true
    await rename(join(root, 'folder'), join(root, 'before'))
    await symlink(outside, join(root, 'folder'))
  })
  const error = await failureOf(() => fileStorage({ root, fs }).read('folder/secret'))
  expect(error).toMatchObject({ code: 'FORBIDDEN' })
  expect(isSwapped).toBe(true)
})

it('writes no byte where the nursery became a link just before', async () => {
  let opened = 0
  const fs = fsWith(async (call) => {
    if (call !== 'open' || opened++ > 0) return
    await rename(join(root, '.quernel'), join(root, 'before'))
    await symlink(outside, join(root, '.quernel'))
  })
  const error = await failureOf(() => fileStorage({ root, fs }).write('file', text('x')))
  expect(error).toMatchObject({ code: 'FORBIDDEN' })
  await expectUntouched()
})

it('a root may be a link, for it is not the caller who says where it is', async () => {
  await symlink(root, join(home, 'link'))
  const linked = fileStorage({ root: join(home, 'link') })
  expect(await readWhole(linked, 'folder/secret')).toEqual(Buffer.from('public'))
  await linked.write('new', text('x'))
  expect(await keysOf(storage, '')).toEqual(['folder/secret', 'new'])
})

it('what is neither file nor folder is no file, and cannot become one', async () => {
  const server = createServer().listen(join(root, 'socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  expect(await storage.stat('socket')).toBeUndefined()
  execFileSync('mkfifo', [join(root, 'pipe')])
  for (const key of ['socket', 'pipe', 'folder']) {
    for (const range of [undefined, { start: 0 }, { start: 0, end: 9 }])
      expect(await failureOf(() => storage.read(key, range)), key).toMatchObject({ code: 'NOT_FOUND' })
  }
  expect(await failureOf(() => storage.write('socket', text('x')))).toMatchObject({ code: 'INVALID_PAYLOAD' })
  expect(await keysOf(storage, '')).toEqual(['folder/secret'])
  await new Promise((resolve) => server.close(resolve))
})

it('the root may be a link, and what it leads to may change meanwhile', async () => {
  const [link, one, other] = [join(home, 'link'), join(home, 'one'), join(home, 'other')]
  await mkdir(one)
  await mkdir(other)
  await symlink(one, link)
  const led = fileStorage({ root: link })
  await led.write('folder/file', text('one'))
  expect(await readWhole(led, 'folder/file')).toEqual(Buffer.from('one'))
  await unlink(link)
  await symlink(other, link)
  expect(await led.stat('folder/file')).toBeUndefined()
  expect(await keysOf(led, 'folder/')).toEqual([])
  await led.write('folder/file', text('other'))
  expect(await readWhole(led, 'folder/file')).toEqual(Buffer.from('other'))
  await unlink(link)
  await symlink(one, link)
  expect(await readWhole(led, 'folder/file')).toEqual(Buffer.from('one'))
  await led.delete('folder/file')
  expect(await keysOf(led, '')).toEqual([])
  expect(await readFile(join(other, 'folder/file'), 'utf8')).toBe('other')
})
