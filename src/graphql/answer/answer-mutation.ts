// Answers a mutation: in one transaction, or each field in its own.

import type { FieldNode } from 'graphql'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { withCallerVariables } from '../../items/caller-variables.ts'
import { lockFirst } from '../../writes/locks/lock-first.ts'
import { inOneUnit } from '../../writes/retry.ts'
import type { Fields } from '../document/collect-fields.ts'
import { type AnswerError, fieldErrors } from './answer-error.ts'
import { type Answer, dataText, memberText, refused } from './answer-text.ts'
import type { AnswerBounds, Asked } from './asked.ts'
import { withExtraFields } from './extras-text.ts'
import { type PlannedWrite, planWrite } from './mutate.ts'
import { fieldsBeyond } from './operation-fields.ts'

/** A field of a mutation with its name. */
interface WriteRoot extends PlannedWrite {
  readonly name: string
  readonly node: FieldNode
}

export async function answerMutation(
  fields: Fields,
  { engine, type, collecting, options, reporting, extensions }: Asked,
  { atomic }: AnswerBounds,
): Promise<Answer> {
  const roots: WriteRoot[] = []
  const problems: AnswerError[] = []
  for (const [name, nodes] of fields) {
    const [node] = nodes
    try {
      const planned =
        node.name.value === '__typename'
          ? {
              isNullable: false,
              names: undefined,
              run: () => Promise.resolve(type.name),
              write: JSON.stringify,
            }
          : await planWrite({
              nodes,
              type,
              engine: engine.asEngine(),
              collecting,
              options,
              extensions,
              isWritten: true,
            })
      roots.push({ name, node, ...planned })
    } catch (error) {
      problems.push(...fieldErrors(error, { node, path: [name], reporting }))
    }
  }
  if (problems.length > 0) return refused(problems)
  const beyond = fieldsBeyond(roots, engine.limits.expandedFields)
  if (beyond)
    return refused(fieldErrors(beyond.error, { ...beyond.root, path: [beyond.root.name], reporting }))
  return atomic ? writtenAtOnce(roots, engine, options, reporting) : writtenApart(roots, engine, reporting)
}

/** Runs all fields in one transaction, which is repeated like that of any other call: what one of them refuses undoes all. */
async function writtenAtOnce(
  roots: readonly WriteRoot[],
  engine: EngineInternals,
  options: Options,
  reporting: Asked['reporting'],
): Promise<Answer> {
  let current: WriteRoot | undefined
  try {
    const written = await inOneUnit(engine, options, async (inside) => {
      const results: unknown[] = []
      current = undefined
      await lockNamed(roots, inside, options)
      for (const root of roots) {
        current = root
        results.push(await root.run(inside.asEngine()))
      }
      current = undefined
      return results
    })
    const errors: AnswerError[] = []
    const members: string[] = []
    // After the commit: what the host computes holds up no transaction, and undoes nothing.
    for (const [index, root] of roots.entries())
      members.push(await writtenText(root, written[index], errors, reporting))
    return { isRefused: false, text: dataText(members, errors) }
  } catch (error) {
    const failed = current ?? roots.at(-1)
    if (!failed) throw error
    const errors = fieldErrors(error, { ...failed, path: [failed.name], reporting })
    return {
      isRefused: false,
      text: JSON.stringify({ errors, data: null, extensions: { rolledBack: true } }),
    }
  }
}

/** Locks what the fields name, in the order in which every transaction locks. */
async function lockNamed(
  roots: readonly WriteRoot[],
  inside: EngineInternals,
  options: Options,
): Promise<void> {
  const named = roots.flatMap(({ names }) => names ?? [])
  if (named.length > 1) await lockFirst(named, await withCallerVariables(inside), options)
}

/** Returns the text of what was written, with the fields that the host computes. */
async function writtenText(
  { name, extras, write }: WriteRoot,
  result: unknown,
  errors: AnswerError[],
  reporting: Asked['reporting'],
): Promise<string> {
  if (!extras) return memberText(name, write(result))
  const extended = await withExtraFields(write(result), extras, [name], reporting)
  errors.push(...extended.errors)
  return memberText(name, extended.text)
}

/** Runs the fields one after the other, each in its own transaction. */
async function writtenApart(
  roots: readonly WriteRoot[],
  engine: EngineInternals,
  reporting: Asked['reporting'],
): Promise<Answer> {
  const errors: AnswerError[] = []
  const members: (string | undefined)[] = []
  for (const root of roots)
    try {
      members.push(await writtenText(root, await root.run(engine.asEngine()), errors, reporting))
    } catch (error) {
      errors.push(...fieldErrors(error, { ...root, path: [root.name], reporting }))
      members.push(root.isNullable ? memberText(root.name, 'null') : undefined)
    }
  return { isRefused: false, text: dataText(members, errors) }
}
