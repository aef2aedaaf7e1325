// A process of its own, which writes to a folder: `writing <root> kill <k>` is killed at its k-th call to the file system,
// `writing <root> many <seed>` writes one key again and again.
import { fileStorage } from '../../src/storage.ts'
import { bytesOf, streamOf } from '../../src/testing/storage/bodies.ts'
import { fsWith } from './failing-fs.ts'

const [root = '', work = '', number = ''] = process.argv.slice(2)

function* halves(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes.subarray(0, bytes.length / 2)
  yield bytes.subarray(bytes.length / 2)
}

async function writeAndDie(): Promise<void> {
  let count = 0
  const fs = fsWith(async () => {
    count += 1
    if (count !== Number(number)) return
    process.kill(process.pid, 'SIGKILL')
    // The signal need not arrive at once, and nothing may be done after it.
    await new Promise(() => undefined)
  })
  await fileStorage({ root, fs }).write('deep/er/file', streamOf(halves(bytesOf(100_000, 2))))
}

async function writeOften(): Promise<void> {
  const storage = fileStorage({ root })
  const bytes = bytesOf(200_000 + Number(number), Number(number))
  for (let round = 0; round < 25; round += 1) await storage.write('deep/er/file', streamOf(halves(bytes)))
}

const works: Readonly<Record<string, () => Promise<void>>> = { kill: writeAndDie, many: writeOften }
void works[work]?.()
