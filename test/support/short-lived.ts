// Where the tests put what they throw away.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLong } from './long-runs.ts'

const memory = '/dev/shm'
/** More than a run takes, log of the server and all. */
const room = 8 * 1024 ** 3

/** Lets temporary files be in memory, where there is much of it: tests make and remove files by the ten thousands, which keeps a disk's file
 *  system busier than the tests are. A long run has them on the disk, and so has whoever says where they are to be. */
export function keepFilesInMemory(): void {
  if (!isLong && process.env.TMPDIR === undefined && isUsable()) process.env.TMPDIR = memory
}

function isUsable(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= room && mayRunPrograms()
  } catch {
    return false
  }
}

/** A copy of the server may have to run from there. */
function mayRunPrograms(): boolean {
  const home = mkdtempSync(join(memory, 'quernel-'))
  try {
    const program = join(home, 'program')
    writeFileSync(program, '#!/bin/sh\n')
    chmodSync(program, 0o755)
    execFileSync(program)
    return true
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
