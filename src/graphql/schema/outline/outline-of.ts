// Outlines what a caller sees and may do.
import { type VisibleActions, visibleActions } from '../../../access/visible-actions.ts'
import { actionContext } from '../../../engine/action-context.ts'
import type { EngineInternals } from '../../../engine/engine.ts'
import { showsKey } from '../../../items/watch/watched-list.ts'
import { isRowNumber, targetNames } from '../../../schema/model.ts'
import { once } from '../../../values/memo.ts'
import type { SchemaNames } from '../names/names.ts'
import type { SchemaSettings } from '../schema-options.ts'
import type { ExtraOutline } from './extra-outline.ts'
import type { CollectionOutline, SchemaOutline } from './outline.ts'
import { hasOwnMembers, membersOf } from './outline-members.ts'
import { hasOwnInput, incrementsOf, type PayloadAction, payloadOf, upsertOf } from './outline-payload.ts'

interface OutlineSources {
  readonly names: SchemaNames
  readonly settings: SchemaSettings
  readonly changed: ReadonlySet<string>
}

/** Returns the outline of the schema of an engine's caller. Members are made on first use: a document names few of a thousand collections.
 *  `changed`: the collections whose new items hooks may change. */
export function outlineOf(
  engine: EngineInternals,
  { names, settings, changed }: OutlineSources,
): SchemaOutline {
  const mayChange = (_: PayloadAction, name: string) => changed.has(name)
  const context = { ...actionContext(engine), mayChange }
  const all = [...visibleActions(context).values()].filter(({ name }) => names.of.has(name))
  const members = withoutEmpty(
    all.filter(({ seen }) => seen).map((visible) => [visible.name, visible] as const),
    {
      make: (visible, isLeft) => membersOf(visible, { names, settings, isReadable: isLeft }),
      isFull: (visible) => hasOwnMembers(visible, names),
    },
  )
  const targeted = once(() => targetNames(context.whole.collections.values()))
  const payloads = withoutEmpty(all.flatMap(payloadsOf), {
    make: ({ visible, action }, isLeft) => {
      const mayWrite = (one: PayloadAction, target: string) => isLeft(payloadId(one, target))
      return payloadOf(visible, action, { names, settings, targeted, mayWrite })
    },
    isFull: ({ visible, action }) => hasOwnInput(visible, action, names),
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
        get members() {
          return members(name)
        },
        ...extrasSeen(fields.get(name), visible),
        get create() {
          return payloads(payloadId('create', name))
        },
        get update() {
          return payloads(payloadId('update', name))
        },
        get upsert() {
          const all = (['create', 'update'] as const).map((action) => payloads(payloadId(action, name)))
          // Such an item is created, or changed alone over HTTP.
          return isRowNumber(whole.key) ? undefined : upsertOf(visible, all)
        },
        get increments() {
          return incrementsOf(visible, payloads(payloadId('update', name)))
        },
        mayDelete: !whole.isSingleton && !isRowNumber(whole.key) && may('delete'),
        // An event says of which item it is.
        ...(settings.hasSubscriptions && hasLastingKey(visible) && { hasEvents: true }),
      }
    }),
  }
}

/** True if the caller sees a key of every item that is its own for ever. */
const hasLastingKey = ({ seen, whole }: VisibleActions): boolean =>
  seen !== undefined && whole.key !== undefined && !isRowNumber(whole.key) && showsKey({ collection: seen })

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

/** Returns a function that makes the members of a type; it returns undefined for types without any. GraphQL has no empty types, so what leads
 *  to one is left out, too. */
function withoutEmpty<Subject, Made>(
  all: readonly (readonly [string, Subject])[],
  { make, isFull }: MemberMaker<Subject, Made>,
): (name: string) => readonly Made[] | undefined {
  const subjects = new Map(all)
  const left = once(() => leftOf(subjects, make))
  const made = new Map<string, readonly Made[] | undefined>()
  const isLeft = (name: string): boolean => {
    const subject = subjects.get(name)
    return subject !== undefined && (isFull(subject) || left().has(name))
  }
  return (name) => {
    if (!made.has(name)) {
      const subject = subjects.get(name)
      made.set(name, subject !== undefined && isLeft(name) ? make(subject, isLeft) : undefined)
    }
    return made.get(name)
  }
}

interface MemberMaker<Subject, Made> {
  readonly make: (subject: Subject, isLeft: (name: string) => boolean) => readonly Made[]
  /** True for a subject that has members whatever others have. */
  readonly isFull: (subject: Subject) => boolean
}

/** Returns the names of types with members: what leads to none of these may leave another one empty. */
function leftOf<Subject, Made>(
  subjects: ReadonlyMap<string, Subject>,
  make: MemberMaker<Subject, Made>['make'],
): ReadonlySet<string> {
  const left = new Set(subjects.keys())
  for (;;) {
    const known = new Set(left)
    for (const [name, subject] of subjects)
      if (known.has(name) && make(subject, (one) => known.has(one)).length === 0) left.delete(name)
    if (left.size === known.size) return left
  }
}
