// Answers a mutation: in one transaction, or each field in its own.

import type { FieldNode } from 'graphql'
import type { EngineInternals } from '../../../engine/engine.ts'
import type { Options } from '../../../execution/database.ts'
import { type Soon, soon } from '../../../execution/soon.ts'
import { mayBeStored } from '../../../execution/transaction/uncertain-commit.ts'
import { withCallerVariables } from '../../../items/caller-variables.ts'
import { inOneUnit } from '../../../writes/context/retry.ts'
import { lockFirst } from '../../../writes/locks/lock-first.ts'
import type { AnswerBounds, AnswerRequest } from '../answer-request.ts'
import { type Answer, dataText, memberText, refused } from '../answer-text.ts'
import { type AnswerScope, withExtraFields } from '../extras/extras-text.ts'
import { fieldsBeyond } from '../operation-fields.ts'
import { ResultBudget } from '../result-budget.ts'
import { fieldErrors, type ResultError } from '../result-error.ts'
import { type PlannedWrite, planWrite } from './mutate.ts'

interface WriteRoot extends PlannedWrite {
  readonly name: string
  readonly node: FieldNode
}

export async function answerMutation(
  { engine, type, fields, collecting, options, reporting, extensions }: AnswerRequest,
  { atomic }: AnswerBounds,
): Promise<Answer> {
  const roots: WriteRoot[] = []
  const problems: ResultError[] = []
  for (const [name, nodes] of fields) {
    const [node] = nodes
    try {
      const planned =
        node.name.value === '__typename'
          ? {
              isNullable: false,
              names: () => undefined,
              run: () => type.name,
              write: JSON.stringify,
            }
          : planWrite({
              nodes,
              type,
              engine: engine.asEngine(),
              collecting,
              options,
              extensions,
              isWritten: true,
            })
      roots.push(Object.assign(planned, { name, node }))
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
  reporting: AnswerRequest['reporting'],
): Promise<Answer> {
  let current: WriteRoot | undefined
  try {
    const written = await writtenTexts(roots, engine, options, (root) => {
      current = root
    })
    const errors: ResultError[] = []
    const members: string[] = []
    const budget = new ResultBudget(engine.limits)
    // After the commit: what the host computes holds up no transaction, and undoes nothing.
    for (const [index, root] of roots.entries())
      members.push(await writtenMember(root, written[index] ?? 'null', { errors, budget, reporting }))
    return { isRefused: false, text: dataText(members, errors) }
  } catch (error) {
    const failed = current ?? roots.at(-1)
    if (!failed) throw error
    const errors = fieldErrors(error, { ...failed, path: [failed.name], reporting })
    // If the result of the commit was lost, it is not known whether it was rolled back.
    const known = mayBeStored(error) ? {} : { extensions: { rolledBack: true } }
    return { isRefused: false, text: JSON.stringify({ errors, data: null, ...known }) }
  }
}

/** Runs the fields, and returns what they have written. One alone is a transaction by itself, which is repeated like that of a function: in another one around
 *  it, it would meet others for longer. `begin`: called with each field before it runs. */
function writtenTexts(
  roots: readonly WriteRoot[],
  engine: EngineInternals,
  options: Options,
  begin: (root: WriteRoot | undefined) => void,
): Soon<readonly string[]> {
  const [first, ...others] = roots
  if (first && others.length === 0)
    return soon(first.run(engine.asEngine()), (result) => [first.write(result)])
  return inOneUnit(engine, options, async (inside) => {
    const texts: string[] = []
    const budget = new ResultBudget(engine.limits)
    begin(undefined)
    await lockNamed(roots, inside, options)
    for (const root of roots) {
      begin(root)
      const text = root.write(await root.run(inside.asEngine()))
      // Before the commit: an answer that is too long undoes what was written for it.
      budget.take(text)
      texts.push(text)
    }
    begin(undefined)
    return texts
  })
}

/** Locks what the fields name, in the order in which every transaction locks. */
async function lockNamed(
  roots: readonly WriteRoot[],
  inside: EngineInternals,
  options: Options,
): Promise<void> {
  const named = roots.flatMap(({ names }) => names() ?? [])
  if (named.length > 1) await lockFirst(named, await withCallerVariables(inside), options)
}

interface WrittenScope extends AnswerScope {
  readonly errors: ResultError[]
}

/** Returns what was written as a member of the answer, with the fields that the host computes: null where it would be too long with them. */
function writtenMember({ name, extras }: WriteRoot, text: string, scope: WrittenScope): Soon<string> {
  if (!extras) {
    scope.budget.note(text)
    return memberText(name, text)
  }
  return withExtraFields(text, extras, [name], scope).then((extended) => {
    scope.errors.push(...extended.errors)
    return memberText(name, extended.text)
  })
}

/** Runs the fields one after the other, each in its own transaction. */
async function writtenApart(
  roots: readonly WriteRoot[],
  engine: EngineInternals,
  reporting: AnswerRequest['reporting'],
): Promise<Answer> {
  const errors: ResultError[] = []
  const members: (string | undefined)[] = []
  const budget = new ResultBudget(engine.limits)
  for (const root of roots)
    try {
      // Stored items are answered, and nothing more is written once the answer is too long.
      budget.check()
      const text = root.write(await root.run(engine.asEngine()))
      members.push(await writtenMember(root, text, { errors, budget, reporting }))
    } catch (error) {
      errors.push(...fieldErrors(error, { ...root, path: [root.name], reporting }))
      members.push(root.isNullable ? memberText(root.name, 'null') : undefined)
    }
  return { isRefused: false, text: dataText(members, errors) }
}
