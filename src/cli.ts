#!/usr/bin/env node
// The command `quernel`: the schema of a database that is there, or its API at once.
import { readFileSync } from 'node:fs'
import { runCommand } from './cli/run-command.ts'

const manifest = new URL('../package.json', import.meta.url)

// Whoever reads the output may have had enough of it.
process.stdout.on('error', () => process.exit(0))

runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  tell: (text) => process.stderr.write(text),
  // biome-ignore lint/style/noProcessEnv: a command is what its environment says, and reads it here alone.
  environment: process.env,
  version: () => String(Reflect.get(JSON.parse(readFileSync(manifest, 'utf8')), 'version')),
}).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exitCode = 70
  },
)
