// The schema of a caller: what they see and may do, and not a word of anything else.
import { parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createGraphQLSchema, printGraphQLSchema, reportGraphQLNames } from '../../../src/graphql.ts'
import type { Access } from '../../../src/index.ts'
import { hiddenWords } from '../../access/hidden-words.ts'
import { key, string } from '../../support/fields.ts'
import { engineOf } from '../engine.ts'

const engine = engineOf({ ...hiddenWords, 'hidden words': { fields: { id: key } } })

const access: Access = {
  user: 7,
  rules: {
    articles: {
      read: [
        { filter: { hidden_text: 'hidden_value' }, fields: ['id', 'title', 'owner', 'comments', 'links'] },
        { fields: ['id', 'comments', 'links'] },
      ],
      update: { fields: ['title', 'comments', 'links'] },
    },
    comments: { read: { fields: ['text', 'article'] } },
    links: { read: true },
    mailbox: { create: { fields: ['subject', 'stamp'], presets: { stamp: 'hidden_stamp' } } },
  },
}

const typeIn = (schema: string, name: string) =>
  new RegExp(`^(?:type|input|union) ${name}\\b[^]*?(?=\\n\\n(?! )|\\n*$(?![^]))`, 'm').exec(schema)?.[0]

const ours = printGraphQLSchema(engine.as(access))

describe('the schema of a caller', () => {
  it('has no name, note or default of what is hidden', () => {
    expect(printGraphQLSchema(engine)).toContain('hidden_note')
    expect(ours).not.toContain('hidden')
  })

  it('suggests nothing that is hidden', () => {
    const documents = [
      '{ hidden_user { hidden_name } }',
      '{ articles { hidden_txt hidden_link { id } } }',
      '{ articles(filter: { hidden_txt: { _eq: "x" } }) { id } }',
      'query ($f: hidden_users_filte) { articles(filter: $f) { id } }',
      '{ links { item { ... on hidden_user { hidden_id } } } }',
      'mutation { delete_hidden_users_item(id: 1) { id } create_mailbox_item(data: { hidden_flg: "x" }) }',
    ]
    const typed = documents.join()
    for (const document of documents) {
      const errors = validate(createGraphQLSchema(engine.as(access)), parse(document))
      expect(errors.length, document).toBeGreaterThan(0)
      const told = errors.flatMap(({ message }) => message.match(/hidden\w*/g) ?? [])
      expect(told.filter((word) => !typed.includes(word))).toEqual([])
      expect(
        told.some((word) => ['hidden_users', 'hidden_text', 'hidden_links', 'hidden_flag'].includes(word)),
      ).toBe(false)
    }
  })

  it('has the key of an item that may not be read, and nothing for lists of them', () => {
    expect(typeIn(ours, 'articles')).toBe(`type articles {
  id: ID
  title: String
  owner: Int
  comments(filter: comments_filter, sort: [String], limit: Int, offset: Int, page: Int, search: String, after: String, before: String): [comments!]!
  comments_func: count_functions
  links(filter: links_filter, sort: [String], limit: Int, offset: Int, page: Int, search: String, after: String, before: String): [links!]!
  links_func: count_functions
  _cursor: String
}`)
    expect(typeIn(ours, 'links_item_union')).toBe('union links_item_union = comments')
  })

  it('has the actions that are granted', () => {
    expect(typeIn(ours, 'Mutation')).toBe(`type Mutation {
  create_mailbox_items(data: [create_mailbox_input!]): Boolean
  create_mailbox_item(data: create_mailbox_input!): Boolean
  upsert_articles_items(filter: articles_filter, sort: [String], limit: Int, offset: Int, page: Int, search: String, data: [upsert_articles_input!], on: [String!], where: articles_filter): [articles!]!
  upsert_articles_item(data: upsert_articles_input!, on: [String!], where: articles_filter): articles
  update_articles_items(filter: articles_filter, sort: [String], limit: Int, offset: Int, page: Int, search: String, ids: [ID]!, data: update_articles_input!): [articles!]!
  update_articles_batch(filter: articles_filter, sort: [String], limit: Int, offset: Int, page: Int, search: String, data: [update_articles_input!]): [articles!]!
  update_articles_item(id: ID!, data: update_articles_input!): articles
}`)
  })

  it('asks for what is needed, and not for what a rule presets', () => {
    expect(typeIn(ours, 'create_mailbox_input')).toBe(`input create_mailbox_input {
  subject: String!
  stamp: String
}`)
  })

  it('offers no related items that may neither be created nor updated', () => {
    expect(typeIn(ours, 'update_articles_input')).toBe(`input update_articles_input {
  id: ID
  title: String
}`)
  })

  it('asks for nothing once a hook may fill it in', () => {
    const asking = engineOf({ notes: { fields: { id: key, text: string } } })
    expect(typeIn(printGraphQLSchema(asking), 'create_notes_input')).toContain('text: String!')
    const forget = asking.on('items.create', 'notes', ({ payload }) => payload, { when: 'before' })
    expect(typeIn(printGraphQLSchema(asking), 'create_notes_input')).toContain('text: String\n')
    forget()
    expect(typeIn(printGraphQLSchema(asking), 'create_notes_input')).toContain('text: String!')
  })

  it('is one field for those who see nothing', () => {
    expect(typeIn(printGraphQLSchema(engine.as({})), 'Query')).toBe(`type Query {
  """There's no data to query."""
  _empty: Void
}`)
    expect(typeIn(printGraphQLSchema(engine.as({})), 'Mutation')).toBeUndefined()
  })

  it('has no type without a member, and nothing that leads to one', () => {
    const caller = engine.as({
      rules: {
        comments: { read: { fields: ['article'] } },
        articles: { read: { fields: [] } },
        mailbox: { update: { fields: [] } },
      },
    })
    const printed = printGraphQLSchema(caller)
    expect(typeIn(printed, 'comments')).toBe('type comments {\n  article: Int\n  _cursor: String\n}')
    expect(typeIn(printed, 'articles')).toBeUndefined()
    expect(typeIn(printed, 'Mutation')).toBeUndefined()
  })

  it('reports names of what the caller sees', () => {
    expect(reportGraphQLNames(engine).map(({ name }) => name)).toEqual(['hidden_words'])
    expect(reportGraphQLNames(engine.as(access))).toEqual([])
  })
})
