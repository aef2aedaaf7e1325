// Keeps the author of a row's definition: the user who last changed it. A user who changes other fields of the row does not become its author.
import { isDeepStrictEqual } from 'node:util'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import type { HookEvent } from '../../engine/events.ts'
import { fault, quote } from '../../errors/errors.ts'
import { keyIdentity, readKey } from '../../plan/key.ts'
import { valueIn } from '../../plan/write/document-change.ts'
import { isIncrement } from '../../plan/write/increment.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { rulesFor } from '../../writes/authorize/writable-fields.ts'
import { ownWriteContext } from '../../writes/context/write-context.ts'
import { lockedValues } from '../../writes/stored/old-values.ts'
import { badOption } from '../reject.ts'
import type { CollectionFlows } from './collection-flows.ts'
import { definitionFields, guardedFields } from './row-fields.ts'

/** Those without which a row does nothing: who sends both has the definition before them. */
const substance = ['trigger', 'operations'] as const

type Author = string | number | null

type Payload = Readonly<Record<string, unknown>>

/** Stands for the author that a row has. */
const kept = Symbol('the author of before')

interface StoredRow {
  readonly author: Storable | null
  readonly values: ReadonlyMap<string, { readonly field: StoredField; readonly value: Storable | null }>
}

/** Guards rows that are flows, behind all other hooks and for as long as the engine lives: nothing but the guard writes their authors for a caller. */
export function guardRows(engine: Engine, { author, collection: name }: CollectionFlows): void {
  const { hooks } = internalsOf(engine)
  const collection = engine.schema.collections.get(name)
  const guard = collection && author !== undefined ? new AuthorGuard(collection, author) : undefined
  const title = JSON.stringify([name, author])
  hooks.addGuard(title, 'items.create', name, (event) => guard?.ofCreation(event))
  hooks.addGuard(title, 'items.update', name, (event) => guard?.ofUpdate(event))
}

class AuthorGuard {
  readonly #collection: Collection
  readonly #author: string
  readonly #fields: readonly StoredField[]

  constructor(collection: Collection, author: string) {
    this.#collection = collection
    this.#author = author
    this.#fields = guardedFields(collection, author)
  }

  /** Makes the user who creates a row its author. */
  ofCreation({ payload, user, engine }: HookEvent<Engine>): object | undefined {
    // The host says itself who has written what it saves.
    if (!payload || !internalsOf(engine).scope) return undefined
    if (user === undefined || user === null) throw noUser()
    const sent = payload[this.#author] ?? null
    if (sent !== null && String(sent) !== String(user)) throw this.#notWritten()
    return { ...payload, [this.#author]: user }
  }

  /** Makes the user who changes a definition its author, and keeps the author where other fields change. */
  async ofUpdate({ payload, user, engine, keys }: HookEvent<Engine>): Promise<object | undefined> {
    const { scope } = internalsOf(engine)
    if (!payload || (!scope && payload[this.#author] !== undefined)) return undefined
    this.#refusePresets(engine)
    const { [this.#author]: written, ...rest } = payload
    const sent = written ?? null
    const isNamed = definitionFields.some((one) => rest[one] !== undefined)
    if (!isNamed && sent === null) return rest
    const rows = await this.#lock(keys, engine)
    const authors = new Set(
      rows.map((row) => {
        // A row that is not there yet may come before it is written, with the definition of another.
        const author = row ? this.#authorOf(row, rest, user ?? null) : null
        if (sent !== null && String(sent) !== String(author === kept ? row?.author : author))
          throw this.#notWritten()
        return author
      }),
    )
    if (scope && (user === undefined || user === null) && authors.has(null)) throw noUser()
    // If a hook gave several rows one definition, some may have had it before: then none of them has an author.
    const [author = null] = authors.size === 1 ? authors : []
    return author === kept ? rest : { ...rest, [this.#author]: author }
  }

  /** Returns the author of a row behind a write: the user who changes its definition, or who takes over one that has no author. */
  #authorOf(row: StoredRow, payload: Payload, user: Author): Author | typeof kept {
    const isChanged = this.#fields.some(({ name }) => name !== this.#author && isOther(row, name, payload))
    if (isChanged) return user
    // A payload that names an author may be a version by another user, which does not change what the row does.
    const isTaken = substance.every((one) => payload[one] !== undefined)
    return row.author === null && isTaken && user !== null ? user : kept
  }

  /** Reads rows, and locks them until the end of the transaction, so that their definitions cannot change meanwhile. */
  async #lock(keys: HookEvent['keys'], engine: Engine): Promise<readonly (StoredRow | undefined)[]> {
    const names = this.#fields.map(({ name }) => name)
    const texts = keys.map((key) => this.#identity(key))
    const known = keys.flatMap((key) => readKey(this.#collection, key) ?? [])
    const writing = ownWriteContext(internalsOf(engine), {})
    const found = await lockedValues(
      this.#collection,
      known,
      { fields: this.#fields, use: 'change' },
      writing,
    )
    return texts.map((text) => {
      const values = found.get(text)
      if (!values) return undefined
      const named = new Map(
        this.#fields.map((field, at) => [field.name, { field, value: values[at] ?? null }]),
      )
      return { author: values[names.indexOf(this.#author)] ?? null, values: named }
    })
  }

  #identity(shown: unknown): string {
    const key = readKey(this.#collection, shown)
    return key === undefined ? '' : keyIdentity(key)
  }

  /** Refuses presets that the guard does not see: they would make a user its author who changes any field of a row, or change what the flow of another does. */
  #refusePresets(engine: Engine): void {
    const permissions = internalsOf(engine).scope?.permissions
    const whole = permissions?.whole.collections.get(this.#collection.name)
    if (!permissions || !whole) return
    const all = rulesFor(permissions, whole, 'update')
    const preset = this.#fields.find(({ name }) => all.some(({ presets }) => Object.hasOwn(presets, name)))
    if (preset)
      throw badOption(
        `A rule presets ${quote(preset.name)}, so a user who changes any field of a flow would become its author, or change what it does.`,
        ['rules', this.#collection.name, 'update', 'presets'],
      )
  }

  #notWritten(): Error {
    return fault(
      'FORBIDDEN',
      `The field ${quote(this.#author)} says who has written a flow, and is written by the engine alone.`,
      { path: [this.#author] },
    )
  }
}

/** Returns whether a payload changes the value of a field. Both are compared as they are read: the same document may have another text. */
function isOther({ values }: StoredRow, name: string, payload: Payload): boolean {
  const stored = values.get(name)
  if (!stored || payload[name] === undefined) return false
  // A part of a document is changed, whatever it was.
  if (isIncrement(stored.field, payload[name])) return true
  const sent = valueIn(stored.field, payload[name])
  if (sent === null) return stored.value !== null
  const read = readStored(stored.field, sent)
  return read.kind !== 'value' || !isDeepStrictEqual(read.value, stored.value)
}

const noUser = () =>
  fault('FORBIDDEN', 'Flows are written by users, who answer for them, and this caller is none.')
