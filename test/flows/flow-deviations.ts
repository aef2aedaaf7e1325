// Where our flows answer otherwise than recorded ones: the decision, and the cases that it is about.

interface FlowDeviation {
  /** The decision, in a sentence. */
  readonly decision: string
  readonly names: readonly string[]
}

export const flowDeviations: readonly FlowDeviation[] = [
  {
    decision: 'What somebody may not start is NOT_FOUND to them, like what is not there.',
    names: [
      'webhook: GET',
      'webhook: unknown id',
      'manual: keys of a listed collection',
      'manual: a collection that the user cannot read',
    ],
  },
  {
    decision: 'A flow sees the headers that it lists, and never who somebody is.',
    names: ['webhook: no operations answers the trigger', 'webhook: return $all', 'log and its masking'],
  },
  {
    decision: 'A request that does not wait is 202, and says where to look.',
    names: ['webhook: async'],
  },
  { decision: 'A form is an object of its values.', names: ['webhook: body that is no object'] },
  {
    decision: 'A flow that requests start is started by no other flow.',
    names: ['trigger: a flow that is a webhook'],
  },
  { decision: 'Who names no items starts a flow for none.', names: ['manual: without selection'] },
  {
    decision: 'A flow of the host changes with its code, and not while it runs.',
    names: ['flow changed while it runs'],
  },
  {
    decision: 'What cannot be right is refused when the flow is defined.',
    names: [
      'webhook: return an unknown path',
      'condition: no filter',
      'template: paths',
      'template: bad syntax',
      'template: prototype names',
      'template: key named $last',
      'item-create: object, list, text, empty',
      'sleep: values',
      'throw-error: defaults and values',
      'throw-error: over HTTP',
      'event filter: failing with a plain error',
      'schedule: not a cron',
      'template: two operations with one key',
    ],
  },
  {
    decision: 'A flow that fails is an error, and so is one that another has started.',
    names: ['webhook: unhandled reject is 200', 'trigger: a sub flow that rejects'],
  },
  {
    decision: 'Whatever has failed is one { code, status, message, extensions }.',
    names: ['request: 404, 500, redirect, text', 'request: refused, bad URL, no host'],
  },
  {
    decision: 'A value in an address is a part of it, and never another path or query.',
    names: ['request: URL with blanks and templates'],
  },
  {
    decision: 'A script runs, where the recorded one had nothing to run in.',
    names: ['exec (sandbox stubbed here)'],
  },
  { decision: 'A payload with fields that are none is refused.', names: ['event filter: return $all'] },
  {
    decision: 'Of an update of several items a flow hears once for each.',
    names: ['event filter: update of many'],
  },
  {
    decision: 'An error to which a flow gives no code is FAILED_VALIDATION.',
    names: ['event filter: writes in the same transaction are rolled back with it'],
  },
  { decision: 'What is absent is null in a condition.', names: ['condition: two fields, one missing'] },
  {
    decision: 'A variable without a value equals nothing.',
    names: ['condition: on accountability and variables'],
  },
  { decision: 'A text is not written around nothing.', names: ['template: inside a text'] },
  { decision: 'A text that is no JSON stays a text.', names: ['template: JSON in a text option'] },
  {
    decision: 'A secret stands in options that are made for secrets.',
    names: ['template: $env allow list and redaction'],
  },
  {
    decision: 'A collection that is not seen is NOT_FOUND.',
    names: ['item-create: permissions', 'item-read: permissions $trigger of a limited user'],
  },
  {
    decision: 'One key is one value: neither nothing nor null nor a list, which would name other items.',
    names: [
      'item-read: key from a missing path',
      'extra: a webhook that reads a key from the body, asked by nobody',
    ],
  },
  {
    decision: 'A query comes from a template only where the rights are those of whoever brings it.',
    names: ['extra: a webhook whose query comes from the body, asked by nobody'],
  },
  {
    decision: 'Keys have the type of the key.',
    names: [
      'item-update: key, keys, query, batch',
      'item-delete: key, keys, query, nothing',
      'event action: update and delete',
    ],
  },
  {
    decision: 'Items that are written are named in exactly one way, and are there.',
    names: ['item-update: nothing to do and conflicts'],
  },
  {
    decision:
      'A collection of the service is one like all: its events have its name, and passwords show a mask.',
    names: ['event action: system collection users'],
  },
  { decision: 'Nobody signs in here, so no flow hears of it.', names: ['event action: auth.login'] },
  { decision: 'A flow of a schedule knows its tick.', names: ['schedule: every second'] },
  { decision: 'A run and its steps are recorded, always.', names: ['accountability: activity only'] },
  {
    decision: 'Flows that start each other end at eight.',
    names: ['extra: emitEvents starts itself without end (stopped after 1.5 s)'],
  },
]
