// Complete lists of to-many relations, which take away items that no plan has shown.
import { visibleActions } from '../access/visible-actions.ts'
import { actionContext } from '../engine/action-context.ts'
import type { EngineInternals } from '../engine/engine.ts'
import { fault, type Path } from '../errors/errors.ts'
import { type Collection, type Field, isToMany, keyFieldsOf, targetsOf } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'

/** Refuses complete lists of related items, except those of items that are surely new. */
export function refuseComplete(
  item: unknown,
  { collection, isNew }: { readonly collection: Collection; readonly isNew: boolean },
  engine: EngineInternals,
  path: Path,
): void {
  const all = visibleActions(actionContext(engine))
  // Fields that a caller may not write are refused by the verbs.
  const writable = ({ name: of }: Collection, name: string): readonly Field[] =>
    (['create', 'update'] as const)
      .flatMap((action) => all.get(of)?.writable(action) ?? [])
      .filter((field) => field.name === name)
  const ofItem = (one: unknown, collections: readonly Collection[], isFresh: boolean, at: Path): void => {
    if (!isRecord(one)) return
    for (const [name, value] of Object.entries(one)) {
      const fields = collections.flatMap((of) => writable(of, name))
      const targets = fields.length === 0 ? collections : [...new Set(fields.flatMap(targetsOf))]
      const child = (member: unknown, mayBeNew: boolean) =>
        ofItem(member, targets, mayBeNew && !hasKey(member, targets), [...at, name])
      if (!fields.some(isToMany)) child(value, isFresh)
      else if (isRecord(value)) {
        for (const [part, list] of Object.entries(value))
          if (Array.isArray(list)) for (const member of list) child(member, isFresh || part === 'create')
      } else if (!isFresh) throw incomplete(name, [...at, name])
      else if (Array.isArray(value)) for (const member of value) child(member, true)
    }
  }
  ofItem(item, [collection], isNew, path)
}

const hasKey = (item: unknown, collections: readonly Collection[]): boolean =>
  isRecord(item) &&
  collections.some((collection) => keyFieldsOf(collection).some(({ name }) => Object.hasOwn(item, name)))

const incomplete = (name: string, path: Path) =>
  fault('INVALID_PAYLOAD', `"${name}" takes no complete list here: no plan shows what that takes away.`, {
    path,
    hint: 'Send { create, update, delete }.',
  })
