/** The header that offers a file for saving, or only names it. Whatever the name holds, it stays one header with one parameter (RFC 6266).
 *  @example contentDisposition('Übersicht.csv')
 *  // → `attachment; filename="_bersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv` */
export function contentDisposition(filename: string, kind: 'attachment' | 'inline' = 'attachment'): string {
  const name = filename.toWellFormed().replace(unsafe, '_')
  const plain = name.replace(beyondAscii, '_')
  const simple = `${kind}; filename="${plain}"`
  return plain === name ? simple : `${simple}; filename*=UTF-8''${encoded(name)}`
}

/** What ends a line or a quoted text, what leads to another folder, and marks that show a name otherwise than it is. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"\\/]/gu

// Some readers take a percent sign for the beginning of an encoded byte.
const beyondAscii = /[^ -~]|%/gu

/** As RFC 5987 wants it, which knows fewer plain characters than a URL does. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
