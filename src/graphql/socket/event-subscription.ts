// A subscription to the events of a collection: what happens to the items that meet a filter.

import { fault, isEngineError } from '../../errors/errors.ts'
import type { FeedCore } from '../../realtime/feed/feed.ts'
import { type ChangesMessage, causesOf } from '../../realtime/messages.ts'
import type { SocketCaller } from '../../realtime/socket/socket-caller.ts'
import { watchItems } from '../../realtime/watch-items.ts'
import { readingOf } from '../../realtime/wire/message-rights.ts'
import { isToMany } from '../../schema/model.ts'
import type { EventTexts } from './event-texts.ts'
import type { OperationContext, ReadOperation, RefusedOperation } from './operation-context.ts'
import { type ItemEvent, planEvents } from './plan-events.ts'

interface EventContext {
  readonly core: FeedCore
  readonly caller: SocketCaller
  readonly texts: EventTexts
  readonly inTurn: OperationContext['inTurn']
  readonly signal: AbortSignal
  /** Says the text of an answer, unless it may not be said any more when its turn comes: then it returns false. */
  readonly say: (text: string, maySend: () => boolean | Promise<boolean>) => Promise<boolean>
  readonly hasRoom: OperationContext['hasRoom']
  /** Reads the operation by the rights of now. */
  readonly readAgain: () => Promise<ReadOperation | RefusedOperation>
}

/** Sends events until the operation ends. Returns why the operation is refused if its caller may no longer run it. */
export async function followEvents(
  operation: ReadOperation,
  context: EventContext,
): Promise<RefusedOperation | undefined> {
  const { core, caller, texts, inTurn, signal, say, hasRoom, readAgain } = context
  const first = await planEvents(operation, texts)
  if ('problems' in first) return first
  let planned = first
  const { collection, filter } = first
  const fields = ownFields(operation, collection)
  const query = { fields, ...(filter && { filter }), limit: 0 }
  const watched = watchItems(caller.mine, collection, query, { membership: 'match', signal })
  try {
    // Its state is not asked for: only what happens from here on.
    await watched.next()
    for await (const message of watched) {
      if (message.kind !== 'changes') throw missed()
      const { rights: readBy, holds, bytes } = readingOf(message)
      if (readBy.number !== planned.rights.number) {
        const again = await readAgain()
        if ('problems' in again) return again
        // Changes of other fields than the followed ones were not reported.
        const isAlike = ownFields(again, collection).join() === fields.join()
        if (again.rights.number !== readBy.number || !isAlike) throw missed()
        const next = await planEvents(again, texts)
        if ('problems' in next) return next
        planned = next
      }
      const { wants, answerTo, rights: plannedFor } = planned
      for (const event of eventsOf(message).filter(wants))
        await inTurn(async () => {
          const rights = await caller.rights.fresh(core.recheckMs)
          // A reader may be so slow that meanwhile it may see something else.
          if (rights.number !== plannedFor.number) throw missed()
          const text = signal.aborted ? undefined : await answerTo(event, message.token, rights)
          if (text === undefined) return
          const isSaid = hasRoom(text, bytes) && (await say(text, holds))
          if (!isSaid && !signal.aborted) throw missed()
        })
    }
    return undefined
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'FORBIDDEN') throw error
    // A field may be followed without being requested, and may be hidden now.
    const again = await readAgain()
    if ('problems' in again) return again
    throw again.rights.number === planned.rights.number ? error : missed()
  }
}

/** The fields that are the item's own: what happens to items beside it is no event of it. */
function ownFields({ rights: { engine } }: ReadOperation, collection: string): readonly string[] {
  const fields = engine.schema.collections.get(collection)?.fields.values() ?? []
  return [...fields].flatMap((field) => (isToMany(field) ? [] : [field.name]))
}

/** Items that have gone, that have come and that are others now, in this order. */
function eventsOf(message: ChangesMessage): readonly ItemEvent[] {
  const { created } = causesOf(message)
  const kinds = message.set.map(({ id }) => ({ id, kind: created.has(id) ? 'create' : 'update' }) as const)
  return [
    ...message.removed.map((id) => ({ id, kind: 'delete' }) as const),
    ...kinds.filter(({ kind }) => kind === 'create'),
    ...kinds.filter(({ kind }) => kind === 'update'),
  ]
}

const missed = () =>
  fault('SERVICE_UNAVAILABLE', 'Events may have been missed.', {
    hint: 'Subscribe again, and read anew what you hold.',
  })
