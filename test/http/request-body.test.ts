// Bodies: JSON of a limited size, and nothing else.

import { titled } from '../support/titled.ts'
import { answered, type Exchange } from './exchange.ts'
import { firstNewKey } from './magazine.ts'

const post = 'POST /items/articles?fields=id,title'
const made = (title: string) => ({ data: { id: firstNewKey, title } })
const milk = '{"title":"Milk"}'

const typed = (type: string, status: number): Exchange => ({
  title: `${status} for the type ${type}`,
  send: post,
  bytes: milk,
  headers: { 'content-type': type },
  status,
  ...(status === 200 ? { answer: made('Milk') } : { fault: ['UNSUPPORTED_MEDIA_TYPE'] }),
})
const broken = (title: string, bytes: string | Uint8Array): Exchange => ({
  title: `400 for ${title}`,
  send: post,
  bytes,
  status: 400,
  fault: ['INVALID_PAYLOAD'],
})
const noObject = (bytes: string): Exchange => ({
  title: `400 for ${bytes}, which is no item`,
  send: 'PATCH /items/articles/1',
  bytes,
  status: 400,
  fault: ['INVALID_PAYLOAD'],
})

answered([
  typed('application/json', 200),
  typed('application/json; charset=utf-8', 200),
  typed('Application/JSON;charset=UTF-8', 200),
  typed('application/json; charset="utf8"; profile=x', 200),
  typed('application/json; charset=us-ascii', 200),
  typed('application/json; charset=utf-16', 415),
  typed('application/json; profile=x; charset= "iso-8859-1"', 415),
  typed('application/json; charset=utf-8x', 415),
  typed('application/merge-patch+json', 200),
  typed('text/plain', 415),
  typed('application/x-www-form-urlencoded', 415),
  typed('multipart/form-data; boundary=x', 415),
  typed('application/jsonp', 415),
  typed('text/plain; application/json', 415),
  typed('', 415),
  {
    title: '415 for a picture, and not 400 for its bytes, with the type that was sent',
    send: post,
    bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    headers: { 'content-type': 'image/jpeg' },
    status: 415,
    answer: {
      errors: [
        {
          message: 'A body of type "image/jpeg" is not supported; send application/json.',
          extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' },
        },
      ],
    },
  },
  {
    title: '415 for a picture that is larger than a body may be',
    send: 'SEARCH /items/articles',
    bytes: Buffer.alloc(1_048_577, 0xff),
    // Servers may close the connection of a body that nobody has read.
    headers: { 'content-type': 'image/jpeg', connection: 'close' },
    status: 415,
    fault: ['UNSUPPORTED_MEDIA_TYPE'],
  },
  broken('what is no JSON', '{"title":'),
  broken('two documents', '{"title":"a"}{"title":"b"}'),
  broken('bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])),
  broken(
    'half a character',
    Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xc3]), Buffer.from('"}')]),
  ),
  broken('UTF-16', Buffer.from(milk, 'utf16le')),
  broken('no bytes at all', ''),
  broken('blanks alone', ' \n'),
  ...['null', '1', '"text"', 'true', '[]', '[{}]'].map(noObject),
  ...titled<Exchange>({
    'a byte order mark is passed over': {
      send: post,
      bytes: `\uFEFF${milk}`,
      status: 200,
      answer: made('Milk'),
    },
    'characters come back as they were': {
      send: post,
      body: { title: 'é 漢 😀 \u2028' },
      status: 200,
      answer: made('é 漢 😀 \u2028'),
    },
    'a name that objects have anyway is refused': {
      send: post,
      bytes: '{"title":"Milk","__proto__":{"views":1}}',
      status: 403,
      fault: ['FORBIDDEN'],
    },
    '413 for more than a body may have': {
      send: post,
      bytes: JSON.stringify({ title: 'x'.repeat(1_048_576) }),
      status: 413,
      fault: ['CONTENT_TOO_LARGE'],
    },
    '413 for more than that without its length': {
      send: post,
      bytes: JSON.stringify({ title: 'x'.repeat(1_048_576) }),
      headers: { 'transfer-encoding': 'chunked' },
      status: 413,
      fault: ['CONTENT_TOO_LARGE'],
    },
    'a body without its length': {
      send: post,
      body: { title: 'Milk' },
      headers: { 'transfer-encoding': 'chunked' },
      status: 200,
      answer: made('Milk'),
    },
    'what is nested deeper than anything': {
      send: post,
      bytes: `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      status: 400,
      fault: ['FAILED_VALIDATION'],
    },
  }),
])
