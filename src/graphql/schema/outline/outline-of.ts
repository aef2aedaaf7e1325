// Outlines what a caller sees and may do.
import { type VisibleActions, visibleActions } from '../../../access/visible-actions.ts'
import { actionContext } from '../../../engine/action-context.ts'
import type { EngineInternals } from '../../../engine/engine.ts'
import { isRowNumber } from '../../../schema/model.ts'
import type { SchemaNames } from '../names/names.ts'
import type { SchemaSettings } from '../schema-options.ts'
import type { ExtraOutline } from './extra-outline.ts'
import type { CollectionOutline, SchemaOutline } from './outline.ts'
import { membersOf } from './outline-members.ts'
import { type PayloadAction, payloadOf, targetedBy } from './outline-payload.ts'

/** Returns the outline of the schema of an engine's caller. */
export function outlineOf(
  engine: EngineInternals,
  names: SchemaNames,
  settings: SchemaSettings,
): SchemaOutline {
  const context = actionContext(engine)
  const all = [...visibleActions(context).values()].filter(({ name }) => names.of.has(name))
  const members = withoutEmpty(
    all.filter(({ seen }) => seen).map((visible) => [visible.name, visible] as const),
    (visible, isLeft) => membersOf(visible, { names, settings, isReadable: isLeft }),
  )
  const targeted = targetedBy(context.whole)
  const payloads = withoutEmpty(all.flatMap(payloadsOf), ({ visible, action }, isLeft) => {
    const mayWrite = (one: PayloadAction, target: string) => isLeft(payloadId(one, target))
    return payloadOf(visible, action, { names, settings, targeted, mayWrite })
  })
  const { queries, fields } = settings.extensions
  return {
    ...(queries.size > 0 && { queries: [...queries.values()].map(extraOutline) }),
    collections: all.map((visible): CollectionOutline => {
      const { name, seen, whole, may } = visible
      return {
        name,
        type: names.of.get(name)?.type ?? name,
        note: seen?.note,
        isSingleton: whole.isSingleton,
        hasKey: whole.key !== undefined,
        members: members.get(name),
        ...extrasSeen(fields.get(name), visible),
        create: payloads.get(payloadId('create', name)),
        update: payloads.get(payloadId('update', name)),
        mayDelete: !whole.isSingleton && !isRowNumber(whole.key) && may('delete'),
      }
    }),
  }
}

/** Returns the extra fields of which a caller may read all that they need. */
function extrasSeen(
  extras: ReadonlyMap<string, ExtraOutline> | undefined,
  { seen }: VisibleActions,
): Pick<CollectionOutline, 'extras'> {
  if (!extras || !seen) return {}
  const shown = [...extras.values()].filter(({ needs }) => needs.every((need) => seen.fields.has(need)))
  return shown.length > 0 ? { extras: shown.map(extraOutline) } : {}
}

/** Nothing but names: how it is computed is no part of a schema that callers share. */
const extraOutline = ({ name, type, args, note, needs }: ExtraOutline): ExtraOutline => ({
  ...{ name, type, args, note, needs },
})

const payloadId = (action: PayloadAction, collection: string): string => `${action}:${collection}`

/** Returns the payloads that a caller may write. That of a singleton creates it while there is none. */
function payloadsOf(visible: VisibleActions) {
  const { name, whole, may } = visible
  const actions = whole.isSingleton
    ? may('update') || may('create')
      ? (['update'] as const)
      : []
    : (['create', 'update'] as const).filter(
        // The number of a row is no lasting name, and GraphQL has nothing like "If-Match".
        (action) => may(action) && !(action === 'update' && isRowNumber(whole.key)),
      )
  return actions.map((action) => [payloadId(action, name), { visible, action }] as const)
}

/** Makes the members of types, without types that have none: GraphQL has no empty ones, and what leads to one is left out, too. */
function withoutEmpty<Subject, Made>(
  subjects: readonly (readonly [string, Subject])[],
  make: (subject: Subject, isLeft: (name: string) => boolean) => readonly Made[],
): ReadonlyMap<string, readonly Made[]> {
  const left = new Set(subjects.map(([name]) => name))
  for (;;) {
    const made = new Map<string, readonly Made[]>()
    for (const [name, subject] of subjects)
      if (left.has(name))
        made.set(
          name,
          make(subject, (one) => left.has(one)),
        )
    const empty = [...made].filter(([, members]) => members.length === 0)
    if (empty.length === 0) return made
    for (const [name] of empty) left.delete(name)
  }
}
