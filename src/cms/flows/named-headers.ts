// The headers of a request at which a flow looks: a webhook here has only those that its definition lists.

import { type ChainPlace, readPlace } from '../../flows/chain/place.ts'
import { readTemplate } from '../../flows/chain/template.ts'
import { headerName, hiddenHeaders } from '../../flows/check/check-outside-trigger.ts'
import { isRecord } from '../../values/guards.ts'
import type { CmsFlow, CmsOperation } from './flow-rows.ts'
import type { ConvertedOperation } from './operation-options.ts'

/** Returns the names of headers in the templates, conditions and `return` of a webhook, and reports what it does not see. */
export function namedHeaders(
  { options, report }: CmsFlow,
  operations: readonly (readonly [CmsOperation, ConvertedOperation])[],
): readonly string[] {
  const names = new Set<string>()
  const seeing: Seeing = {
    operation: undefined,
    see: ({ root, steps: [first, second] }, operation) => {
      const namesAllHeaders = first === undefined || (first === 'headers' && second === undefined)
      if (root !== '$trigger' || !(namesAllHeaders || first === 'headers')) return
      const name = String(second).toLowerCase()
      if (namesAllHeaders) report.note('Of the headers it sees those that the definition lists.', operation)
      else if (hiddenHeaders.includes(name) || !headerName.test(name))
        report.note(`No flow sees the header "${name}".`, operation)
      else names.add(name)
    },
  }
  const { return: returns } = options
  const place = typeof returns === 'string' ? readPlace(returns) : undefined
  if (returns === '$all') seeing.see({ text: '', root: '$trigger', steps: [] }, undefined)
  else if (typeof place === 'object') seeing.see(place, undefined)
  else if (operations.length === 0) seeing.see({ text: '', root: '$trigger', steps: [] }, undefined)
  for (const [{ key }, { type, options: written }] of operations) {
    walk(written, { ...seeing, operation: key })
    if (type === 'condition') walkFilter(written.filter, [], { ...seeing, operation: key })
    if (type === 'script' && String(written.code).includes('headers'))
      report.note('Of the headers it sees those that the definition lists.', key)
  }
  return [...names]
}

interface Seeing {
  readonly operation: string | undefined
  readonly see: (place: ChainPlace, operation: string | undefined) => void
}

/** Walks the places of templates. Options were copied, so they do not nest without end. */
function walk(value: unknown, seeing: Seeing): void {
  if (typeof value === 'string') {
    const template = readTemplate(value)
    if (typeof template !== 'object') return
    const slots = template.kind === 'whole' ? [template.slot] : template.parts
    for (const slot of slots) if (typeof slot === 'object') seeing.see(slot.place, seeing.operation)
  } else if (Array.isArray(value)) for (const one of value) walk(one, seeing)
  else if (isRecord(value)) for (const one of Object.values(value)) walk(one, seeing)
}

/** Walks the places of a condition: those of its names below each other. */
function walkFilter(filter: unknown, above: ChainPlace['steps'], seeing: Seeing): void {
  if (Array.isArray(filter)) for (const one of filter) walkFilter(one, above, seeing)
  if (!isRecord(filter)) return
  for (const [name, inner] of Object.entries(filter)) {
    if (name.startsWith('_')) {
      walkFilter(inner, above, seeing)
      continue
    }
    const place = readPlace(name)
    const own = typeof place === 'object' ? [place.root, ...place.steps] : [name]
    const [root, ...steps] = [...above, ...own]
    if (steps[0] === 'headers' && steps.length > 1)
      seeing.see({ text: '', root: String(root), steps }, seeing.operation)
    else walkFilter(inner, [...above, ...own], seeing)
  }
}
