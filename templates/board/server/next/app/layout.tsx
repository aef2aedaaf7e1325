import type { ReactNode } from 'react'

export const metadata = { title: 'Board' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <link rel="stylesheet" href="/board.css" />
      </head>
      <body>{children}</body>
    </html>
  )
}
