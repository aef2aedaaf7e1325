// A schema of which a part is hidden, called so that it is found wherever it is named.
import { key, many, maybeOne, one, string, text } from '../support/fields.ts'

export const hiddenWords = {
  articles: {
    versioned: true,
    fields: {
      id: key,
      title: string,
      hidden_text: { type: 'string', default: 'hidden_default', note: 'hidden_note' },
      hidden_state: { ...text, values: ['hidden_value'] },
      owner: maybeOne('hidden_users'),
      comments: many('comments.article'),
      hidden_links: { type: 'm2a', through: 'hidden_links.hidden_article', to: 'hidden_item' },
      links: { type: 'm2a', through: 'links.article', to: 'item' },
    },
  },
  comments: { fields: { hidden_key: key, text, article: maybeOne('articles') } },
  hidden_users: { versioned: true, note: 'hidden_note', fields: { hidden_id: key, hidden_name: text } },
  hidden_links: {
    fields: {
      id: key,
      hidden_article: one('articles'),
      hidden_kind: text,
      hidden_item: { type: 'any', to: ['hidden_users'], by: 'hidden_kind', nullable: true },
    },
  },
  links: {
    fields: {
      id: key,
      article: maybeOne('articles'),
      kind: text,
      item: { type: 'any', to: ['hidden_users', 'comments'], by: 'kind', nullable: true },
    },
  },
  mailbox: { fields: { id: key, subject: string, stamp: string, hidden_flag: text } },
  hidden_settings: { singleton: true, fields: { id: key, hidden_name: text } },
} as const
