// Answers a mutation: in one transaction, or each field in its own.

import type { FieldNode } from 'graphql'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import type { Fields } from '../document/collect-fields.ts'
import { type AnswerError, fieldErrors } from './answer-error.ts'
import { type Answer, dataText, memberText, refused } from './answer-text.ts'
import type { AnswerBounds, Asked } from './asked.ts'
import { type PlannedWrite, planWrite } from './mutate.ts'

/** A field of a mutation with its name. */
interface WriteRoot extends PlannedWrite {
  readonly name: string
  readonly node: FieldNode
}

export async function answerMutation(
  fields: Fields,
  { engine, type, collecting, options, report }: Asked,
  { atomic }: AnswerBounds,
): Promise<Answer> {
  const roots: WriteRoot[] = []
  const problems: AnswerError[] = []
  for (const [name, nodes] of fields) {
    const [node] = nodes
    try {
      const planned =
        node.name.value === '__typename'
          ? { isNullable: false, run: () => Promise.resolve(type.name) }
          : await planWrite({
              nodes,
              type,
              engine: engine.asEngine(),
              collecting,
              options,
            })
      roots.push({ name, node, ...planned })
    } catch (error) {
      problems.push(...fieldErrors(error, { node, path: [name], report }))
    }
  }
  if (problems.length > 0) return refused(problems)
  return atomic ? writtenAtOnce(roots, engine, options, report) : writtenApart(roots, engine, report)
}

/** Runs all fields in one transaction: what one of them refuses undoes all. */
async function writtenAtOnce(
  roots: readonly WriteRoot[],
  engine: EngineInternals,
  options: Options,
  report: Asked['report'],
): Promise<Answer> {
  let current: WriteRoot | undefined
  try {
    const data = await engine.asEngine().transaction(async (inside) => {
      const members: string[] = []
      for (const root of roots) {
        current = root
        members.push(memberText(root.name, await root.run(inside)))
      }
      current = undefined
      return members
    }, options)
    return { isRefused: false, text: `{"data":{${data.join(',')}}}` }
  } catch (error) {
    const failed = current ?? roots.at(-1)
    if (!failed) throw error
    const errors = fieldErrors(error, { ...failed, path: [failed.name], report })
    return {
      isRefused: false,
      text: JSON.stringify({ errors, data: null, extensions: { rolledBack: true } }),
    }
  }
}

/** Runs the fields one after the other, each in its own transaction. */
async function writtenApart(
  roots: readonly WriteRoot[],
  engine: EngineInternals,
  report: Asked['report'],
): Promise<Answer> {
  const errors: AnswerError[] = []
  const members: (string | undefined)[] = []
  for (const root of roots)
    try {
      members.push(memberText(root.name, await root.run(engine.asEngine())))
    } catch (error) {
      errors.push(...fieldErrors(error, { ...root, path: [root.name], report }))
      members.push(root.isNullable ? memberText(root.name, null) : undefined)
    }
  return { isRefused: false, text: dataText(members, errors) }
}
