// Loads each entry of the installed package as ESM and as CJS. The arguments name packages that must not be there.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
for (const absent of process.argv.slice(2)) {
  if (isInstalled(absent)) throw new Error(`${absent} is installed, so this would prove nothing.`)
}

const { default: entries } = await import('./node_modules/quernel/package.json', { with: { type: 'json' } })
for (const path of Object.keys(entries.exports)) {
  const name = `quernel${path.slice(1)}`
  const names = Object.keys(await import(name)).sort()
  const required = Object.keys(require(name)).sort()
  if (names.length === 0) throw new Error(`${name} exports nothing.`)
  if (names.join() !== required.join())
    throw new Error(`${name} exports ${names}, but to require ${required}.`)
  console.log(`${name}: ${names.length} exports as ESM and as CJS`)
}

function isInstalled(name) {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}
