// Prints every measure; with `--check` it fails when one misses its goal.
import './production.ts'
import { measureAssets } from './assets.ts'
import { measureDocuments } from './documents/measure-documents.ts'
import {
  missedAssets,
  missedDocuments,
  missedFiles,
  missedGoals,
  missedGrowth,
  missedIntrospection,
  missedMillion,
  missedServed,
  missedWrites,
} from './goals.ts'
import { measureGrowth } from './growth.ts'
import { measureIntrospection } from './introspection.ts'
import { measureLanguage } from './language-goals.ts'
import { measureMillion } from './million.ts'
import { readOptions } from './options.ts'
import { writePage } from './page.ts'
import { measureReads } from './reads.ts'
import { measureRealtime, missedRealtime } from './realtime/measure-realtime.ts'
import { measureServed } from './served.ts'
import { measureFiles } from './served-files.ts'
import { measureWrites } from './writes.ts'

const options = readOptions(process.argv.slice(2))
const missed = options.isWhole ? measureLanguage() : []
const outcomes = options.workloads.length > 0 ? await measureReads(options) : []
const writes = options.writes.length > 0 ? await measureWrites(options) : []
const served = options.served.length > 0 ? await measureServed(options) : []
const documents = options.documents.length > 0 ? await measureDocuments(options) : []
const assets = options.assets.length > 0 ? await measureAssets(options) : []
const files = options.files.length > 0 ? await measureFiles(options) : []
const introspection = options.introspection.length > 0 ? await measureIntrospection(options) : []
const million = options.million.length > 0 ? await measureMillion(options) : []
const growth = options.growth.length > 0 ? await measureGrowth(options) : []
const realtime = options.realtime.length > 0 ? await measureRealtime(options) : []
if (options.write) writePage({ outcomes, writes, served, documents, assets, files, introspection, growth })
missed.push(
  ...missedGoals(outcomes),
  ...missedWrites(writes),
  ...missedServed(served),
  ...missedDocuments(documents),
  ...missedAssets(assets),
  ...missedMillion(million),
  ...missedFiles(files),
  ...missedIntrospection(introspection),
  ...missedGrowth(growth),
  ...missedRealtime(realtime),
)
for (const sentence of missed) console.error(sentence)
if (missed.length > 0 && options.check) process.exitCode = 1
