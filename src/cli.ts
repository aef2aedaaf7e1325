#!/usr/bin/env node
// The command `quernel`: begins a project, prints the schema of an existing database, also for GraphQL, or serves its API.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packagesOf } from './cli/load-package.ts'
import { runCommand } from './cli/run-command.ts'

const manifest = new URL('../package.json', import.meta.url)
const templates = new URL('../templates/board', import.meta.url)

// A reader such as `head` may close the output early.
process.stdout.on('error', () => process.exit(0))

runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  print: (text) => process.stderr.write(text),
  // biome-ignore lint/style/noProcessEnv: a command is controlled by its environment, which is read only here.
  environment: process.env,
  load: packagesOf(process.cwd()),
  templates: fileURLToPath(templates),
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
