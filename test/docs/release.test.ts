import { expect, it } from 'vitest'
import { textOf } from '../../docs/print/texts.ts'
import manifest from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }

it('the lock and the last release of the changes have the version of the package', () => {
  const released = /^## (\d\S*) - \d{4}-\d{2}-\d{2}$/m.exec(textOf('CHANGELOG.md'))?.[1]
  expect([lock.version, lock.packages[''].version, released]).toEqual(Array(3).fill(manifest.version))
})

it('older resolution of types finds the same entries', () => {
  const entries = Object.keys(manifest.exports).flatMap((path) => (path === '.' ? [] : [path.slice(2)]))
  expect(manifest.typesVersions['*']).toEqual(
    Object.fromEntries(entries.map((name) => [name, [`./dist/${name}.d.ts`]])),
  )
})
