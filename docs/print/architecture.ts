// The folders of the source: their order from the test of the walls, and what each is for from the title of its own page.
import { layers } from '../../test/walls.ts'
import { code, table } from './tables.ts'
import { textOf } from './texts.ts'

/** Every folder, from the ground up. */
export const foldersTable = (): string =>
  table(
    ['folder', 'what it is for'],
    layers.map((layer) =>
      layer === 'entries' ? [code('*.ts'), 'the entries of the package'] : [code(layer), titleOf(layer)],
    ),
  )

function titleOf(layer: string): string {
  const [title = ''] = textOf(`src/${layer}/README.md`).split('\n')
  return title.replace(`# ${layer}: `, '')
}
