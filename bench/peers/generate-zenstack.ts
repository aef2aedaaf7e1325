// Writes what ZenStack makes of its models, for both databases. Its parser asks for a function that Node has from version 21 on.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadDocument } from '@zenstackhq/language'
import { TsSchemaGenerator } from '@zenstackhq/sdk'
import { home } from '../installed.ts'

if (!('groupBy' in Object)) Object.assign(Object, { groupBy })

const modelsFor = {
  postgres: (models: string) => models,
  // It knows no types of PostgreSQL.
  sqlite: (models: string) => models.replace('postgresql', 'sqlite').replaceAll(/ *@db\.\w+\(\d\)/g, ''),
} as const

for (const [database, adapted] of Object.entries(modelsFor)) {
  for (const name of ['reads', 'written', 'related']) {
    const outDir = join(home, 'generated/zenstack', database, name)
    mkdirSync(outDir, { recursive: true })
    const models = readFileSync(join(home, `peers/zenstack-${name}.zmodel`), 'utf8')
    const source = join(outDir, 'schema.zmodel')
    writeFileSync(source, adapted(models))
    const loaded = await loadDocument(source)
    if (!loaded.success) throw new Error(loaded.errors.join('\n'))
    await new TsSchemaGenerator().generate(loaded.model, {
      outDir,
      generateModelTypes: false,
      generateInputTypes: false,
    })
  }
}

function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item, at: number) => PropertyKey): object {
  const groups = new Map<PropertyKey, Item[]>()
  let at = 0
  for (const item of items) {
    const key = keyOf(item, at++)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return Object.fromEntries(groups)
}
