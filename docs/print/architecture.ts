// The folders of the source: their order from the test of the walls, what each is for from the title of its own page, and the rooms in it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { layers } from '../../test/walls.ts'
import { code, table } from './tables.ts'
import { root, textOf } from './texts.ts'

/** Every folder, from the ground up. */
export const foldersTable = (): string =>
  table(
    ['folder', 'what it is for', 'rooms'],
    layers.map((layer) =>
      layer === 'entries'
        ? [code('*.ts'), 'the entries of the package', '']
        : [code(layer), titleOf(layer), roomsOf(layer)],
    ),
  )

function titleOf(layer: string): string {
  const [title = ''] = textOf(`src/${layer}/README.md`).split('\n')
  return title.replace(`# ${layer}: `, '')
}

const roomsOf = (layer: string): string =>
  readdirSync(join(root, 'src', layer), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => code(name))
    .sort()
    .join(' ')
