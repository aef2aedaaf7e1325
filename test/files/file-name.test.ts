import { describe, expect, it } from 'vitest'
import { safeFileName, titleOf } from '../../src/files/file-name.ts'

describe('the name of a file', () => {
  it.each([
    { given: 'photo.jpg', name: 'photo.jpg' },
    { given: '../../etc/passwd', name: 'passwd' },
    { given: 'C:\\photos\\Ada.png', name: 'Ada.png' },
    { given: '/', name: 'file' },
    { given: '', name: 'file' },
    { given: '..', name: 'file' },
    { given: '.hidden', name: '.hidden' },
    { given: 'a\0b\r\nc.txt', name: 'abc.txt' },
    { given: ' two   words .txt ', name: 'two words .txt' },
    { given: 'gpj.\u202eexe', name: 'gpj.exe' },
    { given: 'a\ud800b', name: 'a�b' },
    { given: 'u\u0308ber.txt', name: 'über.txt' },
    { given: '日本語.png', name: '日本語.png' },
    { given: `${'x'.repeat(300)}.jpeg`, name: `${'x'.repeat(195)}.jpeg` },
    { given: '😀'.repeat(300), name: '😀'.repeat(200) },
  ])('of $given is $name', ({ given, name }) => {
    expect(safeFileName(given)).toBe(name)
  })
})

describe('the title of a file', () => {
  it.each([
    { name: 'grad.png', title: 'Grad' },
    { name: 'harbour-at_night.jpg', title: 'Harbour at night' },
    { name: 'archive.tar.gz', title: 'Archive.tar' },
    { name: '.png', title: '.png' },
    { name: '__.png', title: '__.png' },
    { name: 'élan', title: 'Élan' },
  ])('that is called $name is $title', ({ name, title }) => {
    expect(titleOf(name)).toBe(title)
  })
})
